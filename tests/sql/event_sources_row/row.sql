begin;
\ir ../builders.sql
select plan(1);

select build.event();
select is((select r.row_id || coalesce(r.changed_seq::text, ' none') from sport.event_sources_row(row ('event', 'sources_set', 'event', 'cup', build.subject('event', 'cup'), null, 's', '', 'k',
    '{"group": "score"}', null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) r), 'event/cup/sources/score none', 'there is none');

select * from finish();
rollback;
