set local role umpire_owner;

-- Since 007 the savepoint's id is taken only where the transaction's own is not the greater one.
comment on column road.note.xid is 'A transaction id that was given out after the subject''s lock was got and is greater than that of the subject''s note before, so that its notes come in seq order: the transaction''s own, or the savepoint''s, widened to 64 bits (docs/road.md, outbox order).';

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

comment on column road.note.xid is 'Id of the subtransaction that wrote the log row, widened to 64 bits: assigned after the last lock, so that a subject''s notes come in seq order (docs/road.md, outbox order). Not pg_current_xact_id().';

reset role;
