begin;
\ir ../builders.sql
select plan(70);

select build.fixture();
-- every move there is, tried from every status
create temp table moves as select f.s as was, t.s as becomes
from unnest(array['scheduled', 'getting_ready', 'postponed', 'cancelled', 'running', 'suspended', 'abandoned', 'finished']) f (s),
    unnest(array['scheduled', 'getting_ready', 'postponed', 'cancelled', 'running', 'suspended', 'abandoned', 'finished']) t (s);
create function build.move(p_was text, p_becomes text) returns text language plpgsql as $$
begin
    update sport.fixture_status set status = p_was;
    return build.edited('fixture.status_set', jsonb_build_object('status', p_becomes));
end
$$;
select is(build.move(was, becomes),
    case when was || '>' || becomes = any (array['scheduled>getting_ready', 'scheduled>postponed', 'scheduled>cancelled', 'getting_ready>scheduled', 'getting_ready>postponed',
        'getting_ready>cancelled', 'postponed>scheduled', 'postponed>cancelled', 'running>suspended', 'suspended>running', 'running>abandoned', 'suspended>abandoned'])
    then 'accepted' else 'refused no_such_move' end, 'fixture.status_set refuses no_such_move or not: ' || was || ' to ' || becomes)
from moves;
update sport.fixture_status set status = 'scheduled';
select is(build.edited('fixture.status_set', '{"status": "postponed", "new_start": "2030-01-01T12:00:00Z"}'), 'refused new_start_only_scheduled', 'fixture.status_set refuses new_start_only_scheduled');
select is(build.edited('fixture.status_set', '{"status": "postponed"}'), 'accepted', 'postponed');
select is(build.brief(build.command('fixture.status_set', 'final', '{"status": "scheduled", "new_start": "2030-01-01T12:00:00Z"}', jsonb_build_object('rows', jsonb_build_object('fixture/final/status', (select changed_seq from sport.fixture_status))))),
    'refused version_missing', 'a new start edits the schedule, whose version it needs');
create temp table said as select * from build.edit('fixture.status_set', '{"status": "scheduled", "new_start": "2030-01-01T12:00:00Z"}');
select is((select outcome from said), 'accepted', 'with both');
select is((select starts_at from sport.fixture_schedule), '2030-01-01T12:00:00Z'::timestamptz, 'the new start');
select is((select array_agg(changed_seq) from (select changed_seq from sport.fixture_schedule union all select changed_seq from sport.fixture_status) x), (select array[seq, seq] from said), 'both rows have the new version');
update sport.fixture_status set status = 'scheduled';

select * from finish();
rollback;
