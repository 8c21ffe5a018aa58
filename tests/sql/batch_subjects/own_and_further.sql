begin;
\ir ../builders.sql
select plan(4);

select build.fixture();
create function build.ids(p_items jsonb) returns uuid[] language sql as $$ select road.batch_subjects(p_items) $$;
select is(build.ids('[{"workflow": "fixture", "code": "note", "kind": "fixture", "ref": "final"}, {"workflow": "fixture", "code": "note", "kind": "fixture", "ref": "final"}]'),
    array[build.subject('fixture', 'final')], 'one subject twice is once');
select is(build.ids(jsonb_build_array(jsonb_build_object('workflow', 'fixture', 'code', 'note', 'kind', 'fixture', 'ref', build.subject('fixture', 'final')))),
    array[build.subject('fixture', 'final')], 'by its uuid too');
select set_eq(format($$select unnest(build.ids('[{"workflow": "event", "code": "fixture_put", "kind": "event", "ref": "%s", "input": {"fixture": "final"}}]'))$$,
        (select e.ref from road.subject s join road.subject e on e.subject_id = s.parent_id where s.kind = 'fixture')),
    'select s.subject_id from road.subject s', 'what the lock functions ask for is among them');
select is(build.ids('[{"workflow": "event", "code": "create", "kind": "event", "ref": "new"}]'), '{}'::uuid[], 'what is yet to be created is not');

select * from finish();
rollback;
