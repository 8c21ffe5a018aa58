set local role umpire_owner;

alter table road.subject add column last_xid xid8 not null default '0';
comment on column road.subject.last_xid is 'Transaction id under which its last note lies in the outbox: the next one needs a greater one, so that notes come in the order of their numbers. 0 = none, or numbered anew (road.feed_rebase); the greatest there is = not known, since the subject was only just created.';

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

alter table road.subject drop column last_xid;

reset role;
