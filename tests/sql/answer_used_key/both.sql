begin;
\ir ../builders.sql
select plan(4);

create temp table a as
select s.same, r.outcome, r.answer
from (values (true), (false)) s (same)
cross join lateral road.answer_used_key('k', 'fixture', 'note', 'fixture', '00000000-0000-0000-0000-000000000002', 'final',
    '{"outcome": "accepted", "subject": {"id": "00000000-0000-0000-0000-000000000001"}, "seq": 7}', s.same) r;
select is((select outcome from a where same), 'duplicate', 'the same command: a duplicate');
select is((select answer from a where same), '{"outcome": "duplicate", "key": "k", "workflow": "fixture", "code": "note",
    "subject": {"kind": "fixture", "id": "00000000-0000-0000-0000-000000000001", "ref": "final"},
    "first": {"outcome": "accepted", "subject": {"id": "00000000-0000-0000-0000-000000000001"}, "seq": 7}}'::jsonb, 'C-010: with its first answer, as it was');
select is((select outcome || ' ' || (answer #>> '{reason,code}') from a where not same), 'refused key_reused', 'C-012: another command');
select ok((select not answer ? 'first' and answer #>> '{subject,id}' = '00000000-0000-0000-0000-000000000002' from a where not same), 'it does not see the first answer');

select * from finish();
rollback;
