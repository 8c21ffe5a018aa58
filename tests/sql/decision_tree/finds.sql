begin;
\ir ../builders.sql
select plan(4);

-- A function that finds n keys by the tree, or says none.
create function build.tree(n integer) returns text[] language plpgsql as $test$
declare
    v_keys text[] := array(select 'k.' || chr(96 + i) from generate_series(1, n) i);
    v_found text[];
begin
    execute format($f$
        create or replace function build.find(p_key text) returns text language plpgsql as $$
        declare
            v_key text collate "C" := p_key;
        begin
        %s    return 'none';
        end $$ $f$, road.decision_tree(v_keys, array(select format('return %L;', k) from unnest(v_keys) k), '    '));
    execute 'select array_agg(build.find(k) order by o) from unnest($1::text[]) with ordinality u (k, o)' into v_found
        using array['k.'] || v_keys || array['k.~', '', null];
    return v_found;
end
$test$;
select is_empty($$
    select n from generate_series(0, 26) n
    where build.tree(n) is distinct from array['none'] || array(select 'k.' || chr(96 + i) from generate_series(1, n) i) || array['none', 'none', 'none']$$,
    'each of up to 26 keys is found, and nothing else is');
select is(road.decision_tree('{}', '{}', ''), '', 'no key, no question');
select is(road.decision_tree('{a}', '{return;}', ''), E'if v_key = \'a\' then\n    return;\nend if;\n', 'one key, one question');
select cmp_ok((select max(length(substring(l from '^ *'))) / 4 from string_to_table(
        road.decision_tree(array(select 'k' || lpad(i::text, 3, '0') from generate_series(1, 100) i), array_fill('return;'::text, array[100]), ''), E'\n') l),
    '<=', 8, 'a hundred keys: at most eight questions');

select * from finish();
rollback;
