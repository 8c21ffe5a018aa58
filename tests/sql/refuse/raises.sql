begin;
\ir ../builders.sql
select plan(3);

select throws_ok($$select road.refuse('too_late', 'It is too late.')$$, 'UM001', 'It is too late.', 'C-014: UM001 with the sentence');
create function build.caught(p_detail jsonb) returns text language plpgsql as $$
declare
    v_code text;
    v_detail text;
begin
    perform road.refuse('too_late', 'It is too late.', p_detail);
exception when sqlstate 'UM001' then
    get stacked diagnostics v_code = constraint_name, v_detail = pg_exception_detail;
    return v_code || ' ' || v_detail;
end
$$;
select is(build.caught('{"by": "1 s"}'), 'too_late {"by": "1 s"}', 'the code as constraint name, the detail as JSON');
select is(build.caught(null), 'too_late {}', 'no detail is an empty one');

select * from finish();
rollback;
