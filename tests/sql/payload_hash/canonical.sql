begin;
\ir ../builders.sql
select plan(12);

create function build.hash(p_input text, p_workflow text default 'w', p_code text default 'c', p_subject text default 's') returns text language sql as
$$select encode(road.payload_hash(p_workflow, p_code, p_subject, p_input::jsonb), 'hex')$$;
select is(build.hash('{"a": {"x": 1, "y": [{"p": 1, "q": 2}]}, "b": 2}'), build.hash(E'{\n"b":2,\t"a":{"y":[{"q":2,"p":1}],"x":1} }'), 'ID-09: members in any order, blanks and line ends');
select isnt(build.hash('{"a": [1, 2]}'), build.hash('{"a": [2, 1]}'), 'ID-09: the order of an array counts');
select isnt(build.hash('{"a": 1}'), build.hash('{"a": 1.0}'), 'C-058: 1 and 1.0 are different payloads');
select isnt(build.hash('{"a": 1}'), build.hash('{"a": "1"}'), 'a number is no text');
select isnt(build.hash('{}'), build.hash('{"a": null}'), 'TL-04: null is not absent');
select isnt(build.hash('{}'), build.hash('null'), 'an empty object is not null');
select isnt(build.hash('{}'), build.hash('{}', p_workflow => 'w2'), 'the workflow counts');
select isnt(build.hash('{}'), build.hash('{}', p_code => 'c2'), 'the code counts');
select isnt(build.hash('{}'), build.hash('{}', p_subject => 's2'), 'the subject counts');
select is(build.hash('{"b": 1, "aa": 2}'), encode(sha256(convert_to('{"code": "c", "input": {"b": 1, "aa": 2}, "subject": "s", "workflow": "w"}', 'UTF8')), 'hex'), 'it is sha256 of jsonb''s text');
select is_empty($$
    select c.workflow, c.code, s.subject, i.input
    from road.catalogue_command c
    cross join (values (gen_random_uuid()::text), ('event/cup-2022:A.b_c')) s (subject)
    cross join lateral (values (c.example), ('{}'), ('[1, 1.0, 1e3, null, "\u00e4 \" \\ \n", {"b": {}, "aa": []}]'::jsonb)) i (input)
    where road.payload_hash(c.workflow, c.code, s.subject, i.input)
        is distinct from sha256(convert_to(jsonb_build_object('workflow', c.workflow, 'code', c.code, 'subject', s.subject, 'input', i.input)::text, 'UTF8'))$$,
    'C-058: for every command, of the text of an object of the four');
select ok(road.payload_hash('w', 'c', null, '{}') is not null, 'a key that was used for a subject that is not there is not the same command');

select * from finish();
rollback;
