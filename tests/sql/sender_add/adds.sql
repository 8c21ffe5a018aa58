begin;
\ir ../builders.sql
select plan(7);

select road.sender_add('provider', sha256('t'), array['football'], array['cup'], true, true);
select is((select (sender, workflows, events, may_act, may_read_log, disabled_at)::text from road.sender where sender = 'provider'), '(provider,{football},{cup},t,t,)', 'with its scopes');
select is((select token_sha256 from road.sender where sender = 'provider'), sha256('t'), 'the token''s hash only');
select throws_ok($$select road.sender_add('provider', sha256('u'))$$, 'UM003', null, 'a name is not used twice: keys belong to it');
select throws_ok($$select road.sender_add('other', sha256('u'), array['football', 'quidditch'])$$, 'UM003', 'there is no workflow quidditch', 'a workflow that does not exist');
select throws_ok($$select road.sender_add('other', sha256('t'))$$, '23505', null, 'a token is one sender''s');
select throws_ok($$select road.sender_add('Bad Name', sha256('u'))$$, '23514', null, 'a name has its form');
select throws_ok($$select road.sender_add('other', 'short')$$, '23514', null, 'a hash has 32 bytes');

select * from finish();
rollback;
