begin;
\ir ../builders.sql
select plan(7);

select is((select r::text from road.cluster_identity() i, road.parse_position(road.position(i.system_identifier, i.timeline, '123', 45)) r), '(123,45)', 'what road.position wrote');
select throws_ok($$select road.parse_position('garbage')$$, 'UM003', null, 'garbage');
select throws_ok($$select road.parse_position('')$$, 'UM003', null, 'nothing');
select throws_ok($$select road.parse_position(null)$$, 'UM003', null, 'null');
select throws_ok($$select road.parse_position('1-1-99999999999999999999-1')$$, 'UM003', null, 'a number that is too long');
select throws_ok($$select road.parse_position(road.position(i.system_identifier + 1, i.timeline, '1', 1)) from road.cluster_identity() i$$, 'UM020', null, 'another cluster');
select throws_ok($$select road.parse_position(road.position(i.system_identifier, i.timeline + 1, '1', 1)) from road.cluster_identity() i$$, 'UM020', null, 'another timeline: a promoted standby may have been behind');

select * from finish();
rollback;
