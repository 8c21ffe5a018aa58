set local role umpire_owner;

-- A play can be corrected and voided: it has a version of its own, and says what took it out.
alter table sport.play add column changed_seq bigint;
update sport.play set changed_seq = seq;
alter table sport.play alter column changed_seq set not null;
alter table sport.play add column voided_by bigint;
comment on column sport.play.changed_seq is 'Fixture''s log number of the row''s last change (C-052); at first its own.';
comment on column sport.play.voided_by is 'Log number of the command that took it out of the fold: fixture.play_void, or a play such as football.var; null = it counts.';
comment on column sport.play.input is 'The command''s input, as corrected since.';

alter table sport.fixture_status drop constraint fixture_status_status_check;
alter table sport.fixture_status add constraint fixture_status_status_check
    check (status in ('scheduled', 'getting_ready', 'postponed', 'cancelled', 'running', 'suspended', 'abandoned', 'finished'));
comment on table sport.fixture_status is 'What has become of a fixture: running and finished come from its plays, the others from fixture.status_set. Apart from the score: the two never share a version.';
comment on column sport.fixture_status.status is 'scheduled, getting_ready, postponed, cancelled, running, suspended, abandoned or finished.';

create table sport.squad (
    event_id     uuid not null references sport.event,
    team         text not null,
    changed_seq  bigint not null,
    members      jsonb not null,
    primary key (event_id, team)
);
comment on table sport.squad is 'Whom a team may field in an event; edited by event.squad_put (version level rows). No row = nobody has said, and everybody may play.';
comment on column sport.squad.event_id is 'The event.';
comment on column sport.squad.team is 'The team, as the fixtures name their sides.';
comment on column sport.squad.changed_seq is 'Event''s log number of the row''s last change (C-052).';
comment on column sport.squad.members is 'Array of {person, name, shirt}; person is what line-ups and plays say.';

create table sport.fixture_lineup (
    fixture_id   uuid not null references sport.fixture,
    side         text not null check (side in ('home', 'away')),
    changed_seq  bigint not null,
    keeper       text not null,
    people       jsonb not null,
    primary key (fixture_id, side)
);
comment on table sport.fixture_lineup is 'Who starts, who sits on the bench: set before kick-off by fixture.lineup_set, fixed once a play was recorded. Not part of the fold''s state, which stays small that way.';
comment on column sport.fixture_lineup.fixture_id is 'The fixture.';
comment on column sport.fixture_lineup.side is 'home or away; each has its own version.';
comment on column sport.fixture_lineup.changed_seq is 'Fixture''s log number of the row''s last change (C-052).';
comment on column sport.fixture_lineup.keeper is 'The goalkeeper, one of those who start.';
comment on column sport.fixture_lineup.people is 'Object: person -> start, bench or staff.';

create table sport.fixture_result (
    fixture_id     uuid primary key references sport.fixture,
    changed_seq    bigint not null,
    home           integer check (home >= 0),
    away           integer check (away >= 0),
    how            text check (how in ('played', 'walkover', 'awarded', 'retired')),
    result_status  text not null check (result_status in ('provisional', 'unofficial', 'official', 'protested')),
    notes          jsonb not null default '[]',
    check ((home is null) = (away is null) and (home is null) = (how is null))
);
comment on table sport.fixture_result is 'The result as officials put it (fixture.result_set) and how final it is (fixture.result_status). No row = nobody has said anything; what the plays fold to is shown.';
comment on column sport.fixture_result.fixture_id is 'The fixture.';
comment on column sport.fixture_result.changed_seq is 'Fixture''s log number of the row''s last change (C-052).';
comment on column sport.fixture_result.home is 'Entered score; null = none was entered.';
comment on column sport.fixture_result.away is 'Entered score of the second side.';
comment on column sport.fixture_result.how is 'played, walkover, awarded or retired; null = no score was entered.';
comment on column sport.fixture_result.result_status is 'provisional, unofficial, official or protested. What is official is not corrected before it is protested.';
comment on column sport.fixture_result.notes is 'Every note that came with a change: array of {seq, note}, only ever appended to.';

create table sport.event_sources (
    event_id     uuid not null references sport.event,
    field_group  text not null check (field_group in ('score', 'schedule', 'lineup', 'officials')),
    changed_seq  bigint not null,
    sources      text[] not null,
    primary key (event_id, field_group)
);
comment on table sport.event_sources is 'Which sources may say something about a field group, the best first (C-034); edited by event.sources_set.';
comment on column sport.event_sources.event_id is 'The event.';
comment on column sport.event_sources.field_group is 'score, schedule, lineup or officials.';
comment on column sport.event_sources.changed_seq is 'Event''s log number of the row''s last change (C-052).';
comment on column sport.event_sources.sources is 'Names in order. entered (our own commands) and plays (the fold) come first when they are not among them.';

create table sport.source_claim (
    fixture_id   uuid not null references sport.fixture,
    field_group  text not null check (field_group in ('score', 'schedule', 'lineup', 'officials')),
    source       text not null,
    observed_at  timestamptz not null,
    seq          bigint not null,
    value        jsonb not null,
    primary key (fixture_id, field_group, source, observed_at, seq)
);
comment on table sport.source_claim is 'Every value that a source has claimed (C-034). Of one source the value observed last counts; older ones stay. Which source is shown is decided when it is read, by sport.event_sources.';
comment on column sport.source_claim.fixture_id is 'The fixture.';
comment on column sport.source_claim.field_group is 'score, schedule, lineup or officials.';
comment on column sport.source_claim.source is 'Whose value it is.';
comment on column sport.source_claim.observed_at is 'When the source saw it, by the source''s own clock: compared only with the same source''s.';
comment on column sport.source_claim.seq is 'Fixture''s log number of the claim; of two observed at one moment the later counts.';
comment on column sport.source_claim.value is 'The value claimed.';

grant select on sport.squad, sport.fixture_lineup, sport.fixture_result, sport.event_sources, sport.source_claim to umpire_ops;

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

drop table sport.source_claim;
drop table sport.event_sources;
drop table sport.fixture_result;
drop table sport.fixture_lineup;
drop table sport.squad;
alter table sport.fixture_status drop constraint fixture_status_status_check;
update sport.fixture_status set status = 'scheduled' where status in ('getting_ready', 'postponed', 'cancelled');
update sport.fixture_status set status = 'finished' where status = 'abandoned';
update sport.fixture_status set status = 'running' where status = 'suspended';
alter table sport.fixture_status add constraint fixture_status_status_check check (status in ('scheduled', 'running', 'finished'));
delete from sport.play where voided_by is not null;
alter table sport.play drop column voided_by;
alter table sport.play drop column changed_seq;

reset role;
