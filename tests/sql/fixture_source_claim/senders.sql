-- Requirement match.source.claim: source known, may write that group.
begin;
\ir ../builders.sql
select plan(7);

select build.fixture();
select build.sender('bob');
create function build.claimed(p_source text, p_sender text, p_group text default 'score') returns text language sql as $$
    select build.brief(build.command('fixture.source_claim', 'final',
        jsonb_build_object('source', p_source, 'group', p_group, 'value', '{"home": 1}'::jsonb, 'observed_at', '2020-01-01T12:00:00Z'), p_sender => p_sender))
$$;
select build.edited('event.sources_set', '{"group": "score", "order": ["feed-a", "feed-b"]}', 'cup');
select is(build.claimed('feed-a', 'bob'), 'accepted', 'nothing is said: anybody may');
select build.edited('event.sources_set', '{"group": "score", "order": ["feed-a", "feed-b"], "senders": {"feed-a": ["bob"]}}', 'cup');
select is(build.claimed('feed-a', 'bob'), 'accepted', 'who is named');
select is(build.claimed('feed-a', 'tester'), 'refused source_not_yours', 'fixture.source_claim refuses source_not_yours');
select is(build.claimed('feed-b', 'tester'), 'accepted', 'a source that is left out is open');
select is(build.claimed('feed-c', 'bob'), 'refused source_unknown', 'an unknown one is nobody''s');
select build.edited('event.sources_set', '{"group": "schedule", "order": ["feed-a"]}', 'cup');
select is(build.claimed('feed-a', 'tester', 'schedule'), 'accepted', 'each group has its own');
select is((select count(*) from sport.source_claim c where c.field_group = 'score' and c.source = 'feed-a'), 2::bigint, 'what is refused is not kept');

select * from finish();
rollback;
