set local role umpire_owner;

-- Where this database's notes belong, and how far they were pruned.
create table road.feed (
    one                boolean primary key default true check (one),
    system_identifier  bigint not null,
    timeline           integer not null,
    pruned_xid         xid8 not null default '0',
    pruned_id          bigint not null default 0,
    pruned_before      timestamptz not null default '-infinity',
    pruned_count       bigint not null default 0 check (pruned_count >= 0),
    rebased_at         timestamptz
);
comment on table road.feed is 'One row: the cluster in whose transaction ids the notes are numbered, and the watermark of pruning (C-118). No foreign key: it refers to no other table.';
comment on column road.feed.one is 'True: there is one row.';
comment on column road.feed.system_identifier is 'The cluster (pg_control_system) in which the notes'' xids mean something; 0 = not known. Another one stops every reader until `umpire ops rebase`.';
comment on column road.feed.timeline is 'The timeline at the last rebase, or when the row was made.';
comment on column road.feed.pruned_xid is 'Notes up to (pruned_xid, pruned_id) were pruned; a position before it can no longer be served.';
comment on column road.feed.pruned_id is 'See pruned_xid.';
comment on column road.feed.pruned_before is 'Only notes older than this were pruned.';
comment on column road.feed.pruned_count is 'How many notes were pruned in all: as many log rows have no note (road.invariants).';
comment on column road.feed.rebased_at is 'When `umpire ops rebase` last ran; null = never.';

-- Notes that came with a dump of another cluster may lie above this one's transaction ids: then the cluster is not known.
insert into road.feed (system_identifier, timeline)
select
    case when exists (select from road.note n where n.xid >= pg_snapshot_xmax(pg_current_snapshot())) then 0 else s.system_identifier end,
    c.timeline_id
from pg_control_system() s, pg_control_checkpoint() c;

-- Readers that must not miss a note keep their position here (C-117).
create table road.consumer (
    consumer           text primary key check (consumer ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    sender             text not null references road.sender,
    xid                xid8 not null,
    id                 bigint not null,
    top_id             bigint not null,
    system_identifier  bigint not null,
    timeline           integer not null,
    max_lag            interval not null default interval '7 days' check (max_lag > interval '0'),
    created_at         timestamptz not null default clock_timestamp(),
    acknowledged_at    timestamptz not null default clock_timestamp(),
    expired_at         timestamptz
) with (fillfactor = 70);
comment on table road.consumer is 'Durable readers of the outbox: a position each (C-117). Notes are kept until every consumer that has not expired has acknowledged them.';
comment on column road.consumer.consumer is 'Its name.';
comment on column road.consumer.sender is 'Whose it is: only this sender reads and moves it, and it gets what this sender may see.';
comment on column road.consumer.xid is 'Every note up to (xid, id) in the readers'' order was acknowledged.';
comment on column road.consumer.id is 'See xid.';
comment on column road.consumer.top_id is 'The highest note id among those that were acknowledged: what a rebase in a new cluster goes by, where xids say nothing.';
comment on column road.consumer.system_identifier is 'The cluster in which the position means something.';
comment on column road.consumer.timeline is 'And its timeline: another one stops the consumer until `umpire ops rebase`.';
comment on column road.consumer.max_lag is 'A consumer whose oldest unread note is older than this is marked expired, so that a dead one does not fill the disk.';
comment on column road.consumer.created_at is 'When it was created (database clock).';
comment on column road.consumer.acknowledged_at is 'When its position last moved (database clock).';
comment on column road.consumer.expired_at is 'When it was marked expired; null = live. Rewinding it makes it live again.';
create index consumer_sender_idx on road.consumer (sender);
comment on index road.consumer_sender_idx is 'A sender''s consumers.';

grant select on road.feed, road.consumer to umpire_ops;

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

-- cascade: the functions that take the table's type go with it
drop table road.consumer cascade;
drop table road.feed;

reset role;
