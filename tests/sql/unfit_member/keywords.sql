begin;
\ir ../builders.sql
select plan(11);

create temp table s as select '{"required": ["side"], "properties": {"side": {"enum": ["home", "away"]}, "n": {"type": "integer", "minimum": 1, "maximum": 5}, "t": {"type": "string", "minLength": 2, "maxLength": 3}, "b": {"type": "boolean"}, "o": {"oneOf": []}}}'::jsonb as schema;
select is(sport.unfit_member(schema, i.input::jsonb), i.bad, i.input)
from s, (values
    ('{"side": "home"}', null), ('{"side": "home", "n": 5, "t": "abc", "b": false}', null),
    ('{}', 'side'), ('{"side": "left"}', 'side'), ('{"side": "home", "n": 6}', 'n'), ('{"side": "home", "n": 1.0}', 'n'), ('{"side": "home", "n": "1"}', 'n'),
    ('{"side": "home", "t": "a"}', 't'), ('{"side": "home", "b": 1}', 'b'), ('{"side": "home", "z": 1}', 'z'), ('{"side": "home", "o": {}}', 'o')
) i (input, bad);

select * from finish();
rollback;
