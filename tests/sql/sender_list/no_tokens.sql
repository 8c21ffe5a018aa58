begin;
\ir ../builders.sql
select plan(3);

select build.sender('b');
select build.sender('a', array['football']);
select is((select array_agg(sender) from road.sender_list()), array['a', 'b', 'system'], 'by name');
select is((select count(*) from road.sender_list() l where row_to_json(l)::text like '%' || encode(sha256('a'), 'hex') || '%'), 0::bigint, 'without any trace of the tokens');
select is((select array_agg(k order by k) from jsonb_object_keys((select to_jsonb(l) from road.sender_list() l limit 1)) k),
    array['created_at', 'disabled_at', 'events', 'may_act', 'may_read_log', 'old_token_until', 'sender', 'workflows'], 'these columns and no other');

select * from finish();
rollback;
