set local role umpire_owner;

alter table sport.event_sources add column senders jsonb not null default '{}';
comment on column sport.event_sources.senders is 'Object: source -> array of the senders that may claim for it; a source that is not among its members may be claimed for by any sender that may touch the fixture.';

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

alter table sport.event_sources drop column senders;

reset role;
