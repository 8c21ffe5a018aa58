set local role umpire_owner;

alter table road.subject add column last_xid xid8 not null default '0';
comment on column road.subject.last_xid is 'Transaction id under which its last note lies in the outbox: the next one needs a greater one, so that notes come in the order of their numbers. 0 = none, or numbered anew (road.feed_rebase); the greatest there is = not known, since the subject was only just created.';

comment on column road.note.xid is 'A transaction id that was given out after the subject''s lock was got and is greater than that of the subject''s note before, so that its notes come in seq order: the transaction''s own, or the savepoint''s, widened to 64 bits (docs/road.md, outbox order).';

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

alter table road.subject drop column last_xid;
comment on column road.note.xid is 'Id of the subtransaction that wrote the log row, widened to 64 bits: assigned after the last lock, so that a subject''s notes come in seq order (docs/road.md, outbox order). Not pg_current_xact_id().';

reset role;
