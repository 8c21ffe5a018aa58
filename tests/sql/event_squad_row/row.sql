begin;
\ir ../builders.sql
select plan(1);

select build.event();
select is((select r.row_id || coalesce(r.changed_seq::text, ' none') from sport.event_squad_row(row ('event', 'squad_put', 'event', 'cup', build.subject('event', 'cup'), null, 's', '', 'k',
    '{"team": "Reds"}', null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) r), 'event/cup/squad/Reds none', 'there is none');

select * from finish();
rollback;
