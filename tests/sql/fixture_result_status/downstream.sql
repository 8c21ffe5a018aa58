-- Tables, brackets and medals follow with a durable consumer: the note is their queue, and says all that they need.
begin;
\ir ../builders.sql
select plan(11);

select build.sender('table', p_events => array['cup'], p_may_read_log => true);
select road.consumer_create('table', 'table', true);
-- What a reader that goes by kind, workflow and code gets of the fixture, oldest first.
create function build.queued(p_ref text default 'final') returns jsonb language plpgsql as $$
begin
    update road.note set xid = (id + 10)::text::xid8; -- as if committed
    return jsonb_path_query_array(road.consumer_page('table', 'table', 500), '$.items[*] ? (@.subject.kind == "fixture" && @.subject.ref == $ref && @.workflow == "fixture" && @.code == "result_status")',
        jsonb_build_object('ref', p_ref));
end
$$;

select build.shootout_fixture();
select build.plays('final', '[["kick", {"side": "home", "scored": true}], ["kick", {"side": "away", "scored": false}], ["kick", {"side": "home", "scored": true}],
    ["kick", {"side": "away", "scored": false}], ["kick", {"side": "home", "scored": true}], ["kick", {"side": "away", "scored": false}]]');
select is(build.edited('fixture.result_status', '{"to": "official"}'), 'accepted', 'official');
create temp table q as select build.queued() as q;
select is((select q -> 0 -> 'event' from q), '"cup"', 'whose table');
select is((select (q -> 0 -> 'note') - 'played' from q), '{
    "to": "official", "was": null, "official_before": false, "home": "Reds", "away": "Blues", "phase": null, "status": "finished",
    "source": "plays", "how": null, "winner": "home",
    "score": {"home": 0, "away": 0, "periods": {"H1": {"home": 0, "away": 0}, "H2": {"home": 0, "away": 0}, "PSO": {"home": 0, "away": 0}}, "shootout": {"home": 3, "away": 0}}}',
    'from and to, sides, score by period, winner, whether it had counted before');
select is((select q #> '{0,note,played}' from q), (select q #> '{0,note,score}' from q), 'what was played is what counts');

select build.edited('fixture.result_status', '{"to": "protested", "note": "Line-up."}');
select build.edited('fixture.result_set', '{"home": 0, "away": 3, "how": "awarded", "note": "Line-up."}');
select build.edited('fixture.result_status', '{"to": "official", "note": "Awarded."}');
update q set q = build.queued();
select is((select jsonb_path_query_array(q, '$[*].note.was') || jsonb_path_query_array(q, '$[*].note.official_before') from q), '[null, "official", "protested", false, true, true]',
    'one after the other: from what it came, and whether it had been official before');
select is((select jsonb_path_query_array(q, '$[*].note.winner') from q), '["home", "home", "away"]', 'who won by what counted then');
select is((select q #> '{2,note,score}' from q), '{"home": 0, "away": 3}', 'what counts now');
select is((select concat_ws(' ', q #>> '{2,note,source}', q #>> '{2,note,how}', q #>> '{2,note,played,shootout,home}') from q), 'entered awarded 3', 'whose it is, how it came about, and what was played');

-- read, put away, acknowledged: it does not come again
select road.consumer_acknowledge('table', 'table', road.consumer_page('table', 'table', 500) ->> 'next');
select is(build.queued(), '[]', 'acknowledged');

select build.fixture('semi');
select is(build.edited('fixture.result_status', '{"to": "provisional"}', 'semi'), 'accepted', 'before anything was played');
select is((select jsonb_build_array(n.body -> 'score', n.body -> 'played', n.body -> 'winner') from road.note n where n.subject_id = build.subject('fixture', 'semi') and n.code = 'result_status'),
    '[null, null, null]', 'there is nothing to say yet');

select * from finish();
rollback;
