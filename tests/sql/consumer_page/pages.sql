begin;
\ir ../builders.sql
select plan(13);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);
create function build.at(p_seq bigint, p_ref text default 'final') returns text language sql as $$
    select road.position(i.system_identifier, i.timeline, n.xid, n.id)
    from road.cluster_identity() i, road.note n where n.seq = p_seq and n.subject_id = coalesce(build.subject('fixture', p_ref), build.subject('event', p_ref))
$$;

select build.fixture('other', p_event => 'bowl');
update road.note set xid = (id + 10)::text::xid8;
select road.consumer_create('reader', 'all', true);
select road.consumer_create(build.sender('cupper', p_events => array['cup'], p_may_read_log => true), 'cup', true);
create temp table p as select road.consumer_page('reader', 'all', 2) as p;
select is((select jsonb_array_length(p -> 'items') from p), 2, 'a page');
select is((select p ->> 'next' from p), (select p #>> '{items,1,position}' from p), 'next: up to its last note');
select is((select p ->> 'more' from p), 'true', 'and there is more');
select is(road.consumer_page('reader', 'all', 2), (select p from p), 'reading moves nothing');
select is(jsonb_array_length(road.consumer_page('reader', 'all') -> 'items'), (select count(*)::integer from road.note), 'all');
select is((select array_agg(distinct i ->> 'event') from jsonb_array_elements(road.consumer_page('cupper', 'cup') -> 'items') i), array['cup'], 'a sender limited to events gets theirs only');
select is(road.consumer_page('cupper', 'cup') ->> 'next', road.consumer_page('reader', 'all') ->> 'next', 'and is led past the others');
select is((select array_agg((i ->> 'seq')::integer) from jsonb_array_elements(road.consumer_page('reader', 'all', 100, build.at(1), build.at(3)) -> 'items') i where i #>> '{subject,ref}' = 'final'), array[2, 3], 'a range: after the one, up to the other');
select is(road.consumer_page('reader', 'all', 100, road.consumer_page('reader', 'all') ->> 'next') -> 'next', 'null'::jsonb, 'nothing new: no next');
select throws_ok($$select road.consumer_page('reader', 'all', 0)$$, 'UM003', null, 'no page of nothing');
select throws_ok($$select road.consumer_page('reader', 'all', 501)$$, 'UM003', null, 'nor of too much');
select throws_ok($$select road.consumer_page('reader', 'all', 5, 'garbage')$$, 'UM003', null, 'after garbage');
update road.feed set pruned_xid = '12', pruned_id = 1;
select throws_ok($$select road.consumer_page('reader', 'all')$$, 'UM021', null, 'what was pruned is not skipped in silence');

select * from finish();
rollback;
