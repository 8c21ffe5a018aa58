set local role umpire_owner;

-- What the catalogue says ---------------------------------------------------------------------------------------------

create table road.kind (
    kind        text primary key check (kind ~ '^[a-z][a-z_]{0,31}$'),
    lock_rank   smallint not null check (lock_rank between 0 and 100),
    verifier    text,
    summary     text not null
);
comment on table road.kind is 'The kinds of subject and the order in which they are locked (C-032). Filled by the functions package. No foreign key: it refers to no other table, and none refers to it, because its rows are replaced at every install.';
comment on column road.kind.kind is 'event, fixture, participant, ...: the {kind} of the API''s paths.';
comment on column road.kind.lock_rank is 'Lower is locked first; copied to road.subject when a subject is created, so that the locking statement needs no join.';
comment on column road.kind.verifier is 'Function (uuid) -> text that replays one subject''s domain state and returns what differs, null when nothing does.';
comment on column road.kind.summary is 'One sentence for the API document.';

create table road.workflow (
    workflow    text primary key check (workflow ~ '^[a-z][a-z_]{0,31}$'),
    summary     text not null
);
comment on table road.workflow is 'The workflows: sets of commands that belong together. Filled by the functions package. No foreign key: it refers to no other table, and none refers to it, because its rows are replaced at every install.';
comment on column road.workflow.workflow is 'event, fixture, football, ...: the {workflow} of the API''s paths.';
comment on column road.workflow.summary is 'One sentence for the API document.';

create table road.catalogue_command (
    workflow      text not null,
    code          text not null check (code ~ '^[a-z][a-z_]{0,31}$'),
    kind          text not null,
    level         text not null check (level in ('none', 'rows', 'play')),
    creates       boolean not null default false,
    handler       text not null,
    locks         text,
    current       text,
    pool          text not null default 'command' check (pool in ('command', 'import')),
    key_ttl       interval not null default interval '30 days' check (key_ttl > interval '0'),
    log_input     text not null default 'full' check (log_input in ('full', 'redacted', 'none')),
    log_drop      text[] not null default '{}',
    input_schema  jsonb not null,
    example       jsonb not null,
    refusals      jsonb not null default '{}',
    summary       text not null,
    primary key (workflow, code),
    check (level = 'none' or current is not null),
    check (not creates or level = 'none')
);
comment on table road.catalogue_command is 'One row per command: what it asks, locks, may refuse, and how it is documented. The functions package replaces all rows at every install; validation, OpenAPI and dispatch come from here.';
comment on column road.catalogue_command.workflow is 'The workflow (road.workflow); no foreign key, the rows are replaced together.';
comment on column road.catalogue_command.code is 'The command''s code within its workflow: goal, fixture_put, ...';
comment on column road.catalogue_command.kind is 'The kind of subject the command is sent to.';
comment on column road.catalogue_command.level is 'Which versions the sender must state (C-073): none; rows (changed_seq of each row it changes); play (the last play it saw).';
comment on column road.catalogue_command.creates is 'True when the command creates its own subject under the reference in the path.';
comment on column road.catalogue_command.handler is 'Function (road.call) -> jsonb: rules first, then writes. Returns {result, note, further, secret}.';
comment on column road.catalogue_command.locks is 'Function (road.call) -> road.lock_request: further subjects to lock or to create; null when there are none.';
comment on column road.catalogue_command.current is 'Function (road.call) -> setof road.current_row: for level rows the rows it would change, for level play the plays after the one that was seen; as they are now (C-074).';
comment on column road.catalogue_command.pool is 'Which pool of connections it runs on (C-091).';
comment on column road.catalogue_command.key_ttl is 'How long a key of this command is remembered (C-050: 30 days).';
comment on column road.catalogue_command.log_input is 'What road.log keeps of the input: full; redacted (members of log_drop left out); none.';
comment on column road.catalogue_command.log_drop is 'Top-level members that are not logged when log_input is redacted.';
comment on column road.catalogue_command.input_schema is 'JSON Schema 2020-12 of the input; the server checks it before any lock (C-010).';
comment on column road.catalogue_command.example is 'An input that is valid by input_schema, for the API document.';
comment on column road.catalogue_command.refusals is 'The rules'' own refusal codes, each with one sentence.';
comment on column road.catalogue_command.summary is 'One sentence for the API document.';

create table road.catalogue_view (
    kind        text not null,
    view        text not null check (view ~ '^[a-z][a-z_]{0,31}$'),
    handler     text not null,
    paged       boolean not null default false,
    open        boolean not null default true,
    summary     text not null,
    primary key (kind, view)
);
comment on table road.catalogue_view is 'One row per read: GET /subjects/{kind}/{ref} (view "state") and GET /subjects/{kind}/{ref}/{view}. Replaced at every install. No foreign key: kinds and views are replaced together.';
comment on column road.catalogue_view.kind is 'The kind of subject that is read.';
comment on column road.catalogue_view.view is 'The view''s name in the path; "state" is the subject itself.';
comment on column road.catalogue_view.handler is 'Function (road.query) -> jsonb, stable: everything it reads comes from one snapshot.';
comment on column road.catalogue_view.paged is 'True when the view takes limit and cursor and answers {items, next}.';
comment on column road.catalogue_view.open is 'True when anybody may read it; false when a bearer token with the scope for logs is needed.';
comment on column road.catalogue_view.summary is 'One sentence for the API document.';

-- Who sends -----------------------------------------------------------------------------------------------------------

create table road.sender (
    sender            text primary key check (sender ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    token_sha256      bytea not null unique check (length(token_sha256) = 32),
    old_token_sha256  bytea unique check (length(old_token_sha256) = 32),
    old_token_until   timestamptz,
    workflows         text[],
    events            text[],
    may_act           boolean not null default false,
    may_read_log      boolean not null default false,
    created_at        timestamptz not null default clock_timestamp(),
    disabled_at       timestamptz,
    check ((old_token_sha256 is null) = (old_token_until is null))
);
comment on table road.sender is 'The devices, providers and servers that may send commands. Tokens are never stored, only their sha256. No foreign key: the workflows are checked when a sender is added, and an event may be named before it is created.';
comment on column road.sender.sender is 'The sender''s name; part of the primary key of its commands, so it never changes.';
comment on column road.sender.token_sha256 is 'sha256 of the current bearer token.';
comment on column road.sender.old_token_sha256 is 'sha256 of the token before the last rotation, valid until old_token_until.';
comment on column road.sender.old_token_until is 'When the previous token stops working (database clock).';
comment on column road.sender.workflows is 'Workflows it may use; null = all.';
comment on column road.sender.events is 'References of the subjects without a parent (in sport: events) that it may touch, with all below them; null = all.';
comment on column road.sender.may_act is 'True when it may send for an actor other than itself.';
comment on column road.sender.may_read_log is 'True when it may read logs.';
comment on column road.sender.created_at is 'When the sender was added.';
comment on column road.sender.disabled_at is 'When it was shut out; takes effect with the next command.';

-- What is changed -----------------------------------------------------------------------------------------------------
--
-- The four tables that every command writes (subject, log, note, command) have no CHECK constraints: Postgres reads each
-- constraint anew for every statement, a third of the time of a command's writes (docs/decisions.md). Only the engine
-- writes them; road.invariants() says what holds.

create table road.subject (
    subject_id     uuid primary key default gen_random_uuid(),
    parent_id      uuid,
    last_seq       bigint not null default 0,
    last_play_seq  bigint not null default 0,
    lock_rank      smallint not null,
    kind           text not null,
    ref            text not null,
    unique (kind, ref)
) with (
    -- Every accepted command updates one row here: room for the next version on the same page keeps the update HOT, and
    -- the dead versions are to go early, because a hot row's chain is walked by every command that locks it.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 200
);
comment on table road.subject is 'The lock row of each thing that commands change (C-003, C-030). Narrow and hot: only the engine updates it, outside the savepoint. What a command edits lives in other tables.';
comment on column road.subject.subject_id is 'The subject''s identity.';
comment on column road.subject.parent_id is 'The subject it was created under (a fixture''s event), null at the top; decides which senders may touch it. Never changes. No foreign key: the parent is locked when the child is created and subjects are never deleted.';
comment on column road.subject.last_seq is 'Number of the subject''s last log row (C-011); 0 = none.';
comment on column road.subject.last_play_seq is 'Log number of its last play (C-073); 0 = none.';
comment on column road.subject.lock_rank is 'Copied from road.kind at creation (C-032). No foreign key on kind: it would lock the kind''s row in the savepoint.';
comment on column road.subject.kind is 'The kind of subject.';
comment on column road.subject.ref is 'The reference it was created under, unique within its kind; what road.valid_ref allows.';

create table road.log (
    subject_id  uuid not null,
    seq         bigint not null,
    at          timestamptz not null,
    sent_at     timestamptz,
    sender      text not null,
    actor       text not null,
    command_id  text not null,
    workflow    text not null,
    code        text not null,
    input       jsonb,
    note        jsonb not null,
    primary key (subject_id, seq)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
comment on table road.log is 'Each subject''s numbered history: one row per accepted command and subject it changed, never updated or deleted (C-054). Never partitioned: the engine reads xmin off the new row. No foreign keys: the engine holds the subject''s lock, and one to the sender would lock a row the command has not locked.';
comment on column road.log.subject_id is 'The subject.';
comment on column road.log.seq is 'Its log number: 1, 2, 3, ... without a gap.';
comment on column road.log.at is 'When the engine took the command (database clock).';
comment on column road.log.sent_at is 'When the sender says it sent it; stored, never compared.';
comment on column road.log.sender is 'Who sent it.';
comment on column road.log.actor is 'For whom; empty when the sender acts for itself.';
comment on column road.log.command_id is 'The command''s key.';
comment on column road.log.workflow is 'The command''s workflow.';
comment on column road.log.code is 'The command''s code.';
comment on column road.log.input is 'Its input, as the catalogue''s log_input allows.';
comment on column road.log.note is 'What the handler returned as public: the same that went to the outbox.';

create table road.note (
    xid         xid8 not null,
    id          bigint generated always as identity,
    subject_id  uuid not null,
    seq         bigint not null,
    at          timestamptz not null,
    workflow    text not null,
    code        text not null,
    body        jsonb not null,
    primary key (xid, id)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.02);
comment on table road.note is 'The outbox: one note per log row, in the same transaction (C-114). Read with road.notes(). No foreign keys: notes are pruned on their own and the engine writes both rows.';
comment on column road.note.xid is 'Id of the subtransaction that wrote the log row, widened to 64 bits: assigned after the last lock, so that a subject''s notes come in seq order (docs/road.md, outbox order). Not pg_current_xact_id().';
comment on column road.note.id is 'Tells the notes of one transaction apart.';
comment on column road.note.subject_id is 'The subject that changed.';
comment on column road.note.seq is 'The log number of the change.';
comment on column road.note.at is 'When the engine took the command (database clock).';
comment on column road.note.workflow is 'The command''s workflow.';
comment on column road.note.code is 'The command''s code.';
comment on column road.note.body is 'What the handler returned as public.';

-- What was answered ---------------------------------------------------------------------------------------------------

create table road.command (
    sender        text not null,
    actor         text not null default '',
    command_id    text not null,
    subject_id    uuid,
    seq           bigint,
    outcome       text not null,
    received_at   timestamptz not null,
    finished_at   timestamptz not null,
    expires_at    timestamptz not null,
    payload_hash  bytea not null,
    answer        jsonb not null,
    primary key (sender, actor, command_id)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
comment on table road.command is 'Every command that was decided, with its exact answer (C-050, C-055). The primary key is the last guard against a second apply (C-057). No foreign keys: one to the sender would lock a row that the command has not locked.';
comment on column road.command.sender is 'Who sent it; keys are scoped by sender and actor.';
comment on column road.command.actor is 'For whom; empty when the sender acts for itself.';
comment on column road.command.command_id is 'The key, made once by the sender (C-004).';
comment on column road.command.subject_id is 'The subject; null when a create was refused.';
comment on column road.command.seq is 'The log number it got on its own subject; null when refused.';
comment on column road.command.outcome is 'accepted or refused; nothing else is stored.';
comment on column road.command.received_at is 'When the engine took it (database clock).';
comment on column road.command.finished_at is 'When its answer was written, shortly before COMMIT (database clock).';
comment on column road.command.expires_at is 'Until when the key is remembered (the catalogue''s key_ttl).';
comment on column road.command.payload_hash is 'sha256 of the canonical JSON of workflow, code, input and subject (C-058); made by road.payload_hash only.';
comment on column road.command.answer is 'The answer as it was given.';

create table road.command_failure (
    sender      text not null,
    actor       text not null default '',
    command_id  text not null,
    attempts    integer not null default 1 check (attempts > 0),
    workflow    text not null,
    code        text not null,
    sqlstate    text not null,
    last_error  text not null,
    first_at    timestamptz not null,
    last_at     timestamptz not null,
    primary key (sender, actor, command_id)
);
comment on table road.command_failure is 'Commands that broke (not a rule''s no), written in a transaction of their own because theirs rolled back (C-051). No foreign key: a command that broke has no row of its own.';
comment on column road.command_failure.sender is 'Who sent it.';
comment on column road.command_failure.actor is 'For whom; empty when the sender acts for itself.';
comment on column road.command_failure.command_id is 'The key.';
comment on column road.command_failure.attempts is 'How often it broke.';
comment on column road.command_failure.workflow is 'The command''s workflow.';
comment on column road.command_failure.code is 'The command''s code.';
comment on column road.command_failure.sqlstate is 'SQLSTATE of the last error.';
comment on column road.command_failure.last_error is 'Where it broke, without any value of the input.';
comment on column road.command_failure.first_at is 'When it broke first (database clock).';
comment on column road.command_failure.last_at is 'When it broke last (database clock).';

-- What is installed ---------------------------------------------------------------------------------------------------

create table road.installed_code (
    installed_at  timestamptz primary key default clock_timestamp(),
    code_hash     text not null check (code_hash ~ '^[0-9a-f]{64}$'),
    installed_by  text not null
);
comment on table road.installed_code is 'One row per install of the functions package; the newest is in force. The server compares it with what it carries. No foreign key: it refers to no other table.';
comment on column road.installed_code.installed_at is 'When it was installed.';
comment on column road.installed_code.code_hash is 'sha256 over the files of functions/ (functions/code_hash.sql).';
comment on column road.installed_code.installed_by is 'The database user who installed it.';

create table road.installed_function (
    signature   text primary key,
    definition  text not null
);
comment on table road.installed_function is 'Each function as the last install left it, so that one that somebody tuned in psql is noticed and not overwritten. No foreign key: it refers to functions, not to a table.';
comment on column road.installed_function.signature is 'Name and argument types, as regprocedure prints them.';
comment on column road.installed_function.definition is 'What pg_get_functiondef gave right after the install.';

-- What functions hand each other --------------------------------------------------------------------------------------

create type road.call as (
    workflow       text,
    code           text,
    kind           text,
    ref            text,
    subject_id     uuid,
    parent_id      uuid,
    sender         text,
    actor          text,
    command_id     text,
    input          jsonb,
    saw            jsonb,
    sent_at        timestamptz,
    at             timestamptz,
    seq            bigint,
    last_play_seq  bigint,
    further        uuid[],
    further_seq    bigint[]
);
comment on type road.call is 'A command on the road, as its functions see it: who sent what for whom to which subject (subject_id is null in the functions that run before a create), seq = the log number it will get, further/further_seq = the other subjects it locked or created and the log number each would get.';

create type road.command_traits as (
    level      text,
    creates    boolean,
    locks      boolean,
    log_input  text,
    log_drop   text[],
    key_ttl    interval
);
comment on type road.command_traits is 'What the road must know of a command before it touches anything, as road.catalogue_command says it; locks = has a lock function.';

create type road.lock_request as (
    lock         uuid[],
    create_kind  text,
    create_refs  text[]
);
comment on type road.lock_request is 'What a command''s lock function asks for: further subjects to lock, and subjects of one kind to create under the command''s subject. Read again under the lock; a changed answer is try again.';

create type road.current_row as (
    row_id       text,
    changed_seq  bigint,
    value        jsonb
);
comment on type road.current_row is 'A row (or play) as it is now: its name on the wire, the log number of its last change (null = not there yet), and what a screen shows of it.';

create type road.query as (
    kind        text,
    ref         text,
    subject_id  uuid,
    after       text,
    max_items   integer
);
comment on type road.query is 'A read, as its function sees it: the subject, and for a paged view the item to go on after and how many to give.';

grant usage on type road.call, road.command_traits, road.lock_request, road.current_row, road.query to umpire_app, umpire_reader, umpire_ops;
grant select on road.kind, road.workflow, road.catalogue_command, road.catalogue_view to umpire_app, umpire_reader, umpire_ops;
grant select on road.installed_code, road.installed_function to umpire_app, umpire_reader, umpire_ops;
grant select on road.subject, road.log, road.note, road.command_failure to umpire_ops;
grant select (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at) on road.command to umpire_ops;

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;
-- cascade: the functions that take these types go with them


drop type road.query cascade;
drop type road.current_row cascade;
drop type road.lock_request cascade;
drop type road.command_traits cascade;
drop type road.call cascade;
drop table road.installed_function;
drop table road.installed_code;
drop table road.command_failure;
drop table road.command;
drop table road.note;
drop table road.log;
drop table road.subject;
drop table road.sender;
drop table road.catalogue_view;
drop table road.catalogue_command;
drop table road.workflow;
drop table road.kind;

reset role;
