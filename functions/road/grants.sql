-- Who may call what (docs/road.md, roles). Everything else is nobody's: default privileges give PUBLIC nothing.
grant execute on function
    road.execute(text, text, text, text, text, text, jsonb, jsonb, text, timestamptz, bytea),
    road.execute_many(jsonb),
    road.fact_key(text, text, text, text, jsonb),
    road.saved_command(text, text, text),
    road.record_failure(text, text, text, text, text, text, text),
    road.sender_by_token(bytea),
    road.read(text, text, text, text, integer, text)
to umpire_app;

grant execute on function
    road.read(text, text, text, text, integer, text),
    road.notes(xid8, bigint, integer)
to umpire_reader;

grant execute on function
    road.saved_command(text, text, text),
    road.read(text, text, text, text, integer, text),
    road.notes(xid8, bigint, integer),
    road.sender_add(text, bytea, text[], text[], boolean, boolean),
    road.sender_rotate(text, bytea, interval),
    road.sender_disable(text),
    road.sender_list(),
    road.failure_list(boolean, integer),
    road.invariants(),
    road.verify(uuid, integer)
to umpire_ops;

-- Feeds: the stream reads as umpire_reader, consumers and jobs run as umpire_app.
grant execute on function
    road.feed_page(xid8, bigint, integer)
to umpire_reader;

grant execute on function
    road.consumer_create(text, text, boolean, interval),
    road.consumer_page(text, text, integer, text, text),
    road.consumer_acknowledge(text, text, text),
    road.consumer_rewind(text, text, text),
    road.consumer_drop(text, text),
    road.consumer_list(text),
    road.consumer_expire(),
    road.prune_notes(interval, integer)
to umpire_app, umpire_ops;

grant execute on function
    road.feed_rebase()
to umpire_ops;
