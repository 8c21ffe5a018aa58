begin;
\ir ../builders.sql
select plan(2);

select is(road.early_answer('conflict', 'k', 'w', 'c', 'fixture', '00000000-0000-4000-8000-000000000001', 'r', '{"changed": []}'),
    '{"outcome": "conflict", "key": "k", "workflow": "w", "code": "c", "subject": {"kind": "fixture", "id": "00000000-0000-4000-8000-000000000001", "ref": "r"}, "changed": []}', 'C-019: the one body');
select is(road.early_answer('refused', 'k', 'w', 'c', 'fixture', null, null, '{}') -> 'subject', '{"kind": "fixture", "id": null, "ref": null}', 'also when there is no subject');

select * from finish();
rollback;
