begin;
\ir ../builders.sql
select plan(3);

select build.sender('provider', array['football'], array['cup'], true, true);
select is((select (sender, workflows, events, may_act, may_read_log)::text from road.sender_by_token(sha256('provider'))), '(provider,{football},{cup},t,t)', 'with its scopes');
select is((select count(*) from road.sender_by_token(sha256('other'))), 0::bigint, 'nobody''s');
select is((select count(*) from road.sender_by_token(null)), 0::bigint, 'no token is nobody''s');

select * from finish();
rollback;
