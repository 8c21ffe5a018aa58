begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
alter table road.command add constraint no_refusals check (outcome = 'accepted') not valid;
select throws_ok($$select build.play('goal', '{"side": "home", "minute": 5}')$$, '23514', null, 'a refusal that cannot be saved aborts everything');
select is((select count(*) from road.command where outcome = 'refused'), 0::bigint, 'nobody is told no');

select * from finish();
rollback;
