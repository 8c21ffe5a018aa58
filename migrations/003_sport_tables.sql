set local role umpire_owner;

create table sport.event (
    event_id     uuid primary key references road.subject,
    changed_seq  bigint not null,
    name         text not null,
    starts_on    date,
    ends_on      date,
    settings     jsonb not null default '{}',
    check (ends_on >= starts_on)
);
comment on table sport.event is 'A competition. Created by the command event.create.';
comment on column sport.event.event_id is 'The subject of kind event.';
comment on column sport.event.changed_seq is 'Event''s log number of the row''s last change (C-052).';
comment on column sport.event.name is 'What people call it.';
comment on column sport.event.starts_on is 'First day, local to the event; null = not known.';
comment on column sport.event.ends_on is 'Last day, local to the event; null = not known.';
comment on column sport.event.settings is 'What its fixtures may do unless they say otherwise: extra_time, shootout (booleans, false when absent).';

create table sport.fixture (
    fixture_id  uuid primary key references road.subject,
    event_id    uuid not null references sport.event,
    sport       text not null check (sport ~ '^[a-z][a-z_]{0,31}$')
);
create index fixture_event_id_idx on sport.fixture (event_id, fixture_id);
comment on table sport.fixture is 'A match or any other unit of an event: what never changes about it. What does change lives in one table per reason to change, so that a goal never makes an edit of the kick-off conflict.';
comment on column sport.fixture.fixture_id is 'The subject of kind fixture.';
comment on column sport.fixture.event_id is 'Its event (locked while the fixture is created).';
comment on column sport.fixture.sport is 'The workflow that scores it; another sport''s command is refused wrong_workflow.';
comment on index sport.fixture_event_id_idx is 'The fixtures of an event, in pages.';

create table sport.fixture_schedule (
    fixture_id   uuid primary key references sport.fixture,
    changed_seq  bigint not null,
    starts_at    timestamptz,
    venue        text,
    phase        text,
    home         text not null,
    away         text not null,
    settings     jsonb not null default '{}'
);
comment on table sport.fixture_schedule is 'When, where and who; edited by event.fixture_put (version level rows).';
comment on column sport.fixture_schedule.fixture_id is 'The fixture.';
comment on column sport.fixture_schedule.changed_seq is 'Fixture''s log number of the row''s last change (C-052).';
comment on column sport.fixture_schedule.starts_at is 'Planned start; null = not known.';
comment on column sport.fixture_schedule.venue is 'Where; null = not known.';
comment on column sport.fixture_schedule.phase is 'Phase or round of the event (final, group A); null = not said.';
comment on column sport.fixture_schedule.home is 'First side as shown: a team, or a placeholder such as TBD or "winner of SF1".';
comment on column sport.fixture_schedule.away is 'Second side as shown.';
comment on column sport.fixture_schedule.settings is 'Overrides of the event''s settings for this fixture: extra_time, shootout.';

create table sport.fixture_status (
    fixture_id   uuid primary key references sport.fixture,
    changed_seq  bigint not null,
    status       text not null check (status in ('scheduled', 'running', 'finished'))
) with (fillfactor = 70);
comment on table sport.fixture_status is 'Whether a fixture is scheduled, running or finished. Apart from the score: the two never share a version.';
comment on column sport.fixture_status.fixture_id is 'The fixture.';
comment on column sport.fixture_status.changed_seq is 'Fixture''s log number of the row''s last change (C-052).';
comment on column sport.fixture_status.status is 'scheduled, running or finished.';

create table sport.fixture_score (
    fixture_id   uuid primary key references sport.fixture,
    changed_seq  bigint not null,
    state        jsonb not null
) with (
    -- Rewritten by every play; room on the page keeps the update HOT.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 200
);
comment on table sport.fixture_score is 'What the plays of a fixture fold to. Equal to a replay of sport.play at any time (umpire ops verify).';
comment on column sport.fixture_score.fixture_id is 'The fixture.';
comment on column sport.fixture_score.changed_seq is 'Fixture''s log number of the last play that was folded in (C-052).';
comment on column sport.fixture_score.state is 'The fold''s state; its members are the sport''s (sport.football_fold).';

create table sport.play (
    fixture_id  uuid not null,
    seq         bigint not null,
    workflow    text not null,
    code        text not null,
    input       jsonb not null,
    primary key (fixture_id, seq)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
comment on table sport.play is 'The scoring actions of a fixture, in order. No foreign key: the command holds the fixture''s lock and the handler has just read the fixture.';
comment on column sport.play.fixture_id is 'The fixture.';
comment on column sport.play.seq is 'The log number of the play; what senders state in saw.play.';
comment on column sport.play.workflow is 'The sport that folds it.';
comment on column sport.play.code is 'The command''s code: goal, card, ...';
comment on column sport.play.input is 'The command''s input.';

grant select on sport.event, sport.fixture, sport.fixture_schedule, sport.fixture_status, sport.fixture_score, sport.play to umpire_ops;

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;


drop table sport.play;
drop table sport.fixture_score;
drop table sport.fixture_status;
drop table sport.fixture_schedule;
drop table sport.fixture;
drop table sport.event;

reset role;
