-- The road: one call takes a command from its key to its answer. The steps are those of docs/road.md; the answer may be
-- trusted only after COMMIT.
--
-- locks: the subject and what the command's lock function names, in one order; then the key
-- raises: UM004 when not READ COMMITTED; 55P03, 40P01, 57014, ... as they come: the whole command is gone, send it again
create or replace function road.execute(
    p_sender text,
    p_workflow text,
    p_kind text,
    p_ref text,
    p_code text,
    p_command_id text,
    p_input jsonb,
    p_saw jsonb default null,
    p_actor text default '',
    p_sent_at timestamptz default null,
    p_token_sha256 bytea default null,
    out outcome text,
    out answer jsonb)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_seen           bigint;
    v_reason         jsonb;
    v_traits         road.command_traits := road.command_traits(p_workflow, p_code, p_kind);
    -- what the first statement finds
    v_at             timestamptz;
    v_workflows      text[];
    v_events         text[];
    v_may_act        boolean;
    v_ref            text;
    v_subject_id     uuid;
    v_parent_id      uuid;
    v_first          jsonb;
    v_first_hash     bytea;
    v_expired        boolean;
    -- what the locks give
    v_wanted         road.lock_request;
    v_ids            uuid[];
    v_further        uuid[];
    v_further_seq    bigint[];
    v_last_seq       bigint;
    v_last_play_seq  bigint;
    v_last_xid       xid8;
    -- what the handler gives
    cmd              road.call;
    v_handled        jsonb;
    v_sub_xid        bigint;
    v_xid            bigint;
    v_note_xid       xid8;
    v_changed        jsonb;
    v_missing        text[];
    v_malformed      boolean;
    v_text           text;
    v_code           text;
    v_detail         text;
begin
    -- The plain command asks few questions on its way: an expression is set up anew in every transaction, and thirty of them
    -- cost as much as three statements. So one question stands for many wherever the answer is nearly always the same.

    -- 1. The key, without a lock (C-010). The same statement finds the sender, and says who is at work, for whom, on
    -- what: sql/runbook/blocking.sql reads it off pg_stat_activity. It is gone with the transaction.
    select
        clock_timestamp(), d.workflows, d.events, d.may_act, k.answer, k.payload_hash,
        set_config('application_name', concat_ws(' ', split_part(current_setting('application_name'), ' ', 1), p_workflow || '.' || p_code, p_sender, p_ref), true)
    into
        v_at, v_workflows, v_events, v_may_act, v_first, v_first_hash, v_text
    from road.sender d
    left join road.command k on k.sender = p_sender and k.actor = p_actor and k.command_id = p_command_id and k.expires_at > road.now()
    where d.sender = p_sender and d.disabled_at is null
        and (p_token_sha256 is null or d.token_sha256 = p_token_sha256
             or (d.old_token_sha256 = p_token_sha256 and d.old_token_until > road.now()));

    if v_at is null or v_first is not null or v_traits.level is null or v_traits.creates or v_traits.locks or v_workflows is not null
        or v_events is not null or p_actor <> '' or length(p_command_id) not between 1 and 200 or length(p_ref) = 36
        or current_setting('transaction_isolation') <> 'read committed' then
        if current_setting('transaction_isolation') <> 'read committed' then
            raise exception using errcode = 'UM004', message = 'road.execute needs READ COMMITTED: a second look must see what the lock waited for';
        elsif not v_traits.creates and p_ref ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then
            select s.ref, s.subject_id, s.parent_id into v_ref, v_subject_id, v_parent_id from road.subject s where s.subject_id = p_ref::uuid and s.kind = p_kind;
            p_ref := coalesce(v_ref, p_ref);
        else
            select s.subject_id, s.parent_id into v_subject_id, v_parent_id from road.subject s where s.kind = p_kind and s.ref = p_ref;
        end if;
        if v_at is null then
            v_reason := road.reason('sender_unknown', 'The sender is unknown or disabled, or its token is no longer valid.');
        elsif v_traits.level is null then
            v_reason := road.reason('unknown_command', 'There is no such workflow, code or kind of subject; GET /workflows lists what there is.');
        elsif not p_workflow = any (v_workflows) then
            v_reason := road.reason('not_allowed', 'The sender may not use this workflow.', jsonb_build_object('scope', 'workflows'));
        elsif p_actor <> '' and not v_may_act then
            v_reason := road.reason('not_allowed', 'The sender may not send for others.', jsonb_build_object('scope', 'act'));
        elsif v_events is not null and not road.may_touch(v_events, v_parent_id, p_ref) then
            v_reason := road.reason('not_allowed', 'The sender may not touch this event.', jsonb_build_object('scope', 'events'));
        elsif length(p_command_id) not between 1 and 200 or length(p_actor) > 200 then
            v_reason := road.reason('bad_input', 'A key has 1 to 200 characters, an actor at most 200.');
        elsif v_traits.creates and not road.valid_ref(p_ref) then
            v_reason := road.reason('bad_input', 'A new reference has 1 to 128 of A-Z a-z 0-9 . _ : - , begins with a letter or digit, and is not a uuid.');
        elsif v_traits.locks and v_subject_id is null and v_first is null and not v_traits.creates then
            v_reason := road.reason('subject_not_found', 'There is no such subject; create it first, or mend the reference.');
        end if;
        if v_reason is not null then
            outcome := 'refused';
            answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, null, p_ref, v_reason);
            return;
        elsif v_first is not null then
            select a.outcome, a.answer into outcome, answer
            from road.answer_used_key(p_command_id, p_workflow, p_code, p_kind, v_subject_id, p_ref, v_first,
                v_first_hash = road.payload_hash(p_workflow, p_code, case when v_traits.creates then concat(p_kind, '/', p_ref) else v_subject_id::text end, p_input)) a;
            return;
        end if;
        if v_traits.locks then
            cmd := row (p_workflow, p_code, p_kind, p_ref, v_subject_id, v_parent_id, p_sender, p_actor, p_command_id,
                p_input, p_saw, p_sent_at, v_at, 0, 0, '{}', '{}');
            v_wanted := road.dispatch_locks(cmd);
            v_ids := array(select distinct u.id from unnest(v_wanted.lock || v_subject_id) u (id) where u.id is not null);
            if cardinality(v_ids) = 1 and not v_traits.creates then
                v_ids := null; -- its own only
            end if;
        end if;
    end if;

    -- 2. The subjects (C-011, C-032). One subject: a plain wait, which holds no xid. Several: a short one.
    if v_ids is null and not v_traits.creates then
        select s.subject_id, s.parent_id, s.last_seq, s.last_play_seq, s.last_xid
        into v_subject_id, v_parent_id, v_last_seq, v_last_play_seq, v_last_xid
        from road.subject s
        where s.kind = p_kind and s.ref = p_ref
        for no key update of s;
    elsif v_ids <> '{}' then
        select
            max(l.last_seq) filter (where l.subject_id = v_subject_id),
            max(l.last_play_seq) filter (where l.subject_id = v_subject_id),
            array_agg(l.subject_id) filter (where l.subject_id is distinct from v_subject_id),
            array_agg(l.last_seq + 1) filter (where l.subject_id is distinct from v_subject_id)
        into v_last_seq, v_last_play_seq, v_further, v_further_seq
        from road.lock_subjects(v_ids) l;
        if coalesce(cardinality(v_further), 0) + (not v_traits.creates)::integer < cardinality(v_ids) then
            outcome := 'refused';
            answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, v_subject_id, p_ref,
                road.reason('subject_not_found', 'A subject that the command names does not exist.'));
            return;
        end if;
    end if;

    -- 3. The key's own lock: the same key on two subjects meets here. Then the key again, with a new snapshot (C-012).
    if v_last_seq is null and not v_traits.creates
        or not pg_try_advisory_xact_lock(hashtextextended(concat_ws(E'\x1f', p_sender, p_actor, p_command_id), 0)) then
        if v_last_seq is null and not v_traits.creates then
            outcome := 'refused';
            answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, null, p_ref,
                road.reason('subject_not_found', 'There is no such subject; create it first, or mend the reference.'));
            return;
        end if;
        perform road.lock_key(hashtextextended(concat_ws(E'\x1f', p_sender, p_actor, p_command_id), 0));
    end if;
    select case when k.expires_at > road.now() then k.answer end, k.payload_hash, true
    into v_first, v_first_hash, v_expired
    from road.command k
    where k.sender = p_sender and k.actor = p_actor and k.command_id = p_command_id;
    if v_first is not null or v_expired then
        if v_first is not null then
            select a.outcome, a.answer into outcome, answer
            from road.answer_used_key(p_command_id, p_workflow, p_code, p_kind, v_subject_id, p_ref, v_first,
                v_first_hash = road.payload_hash(p_workflow, p_code, case when v_traits.creates then concat(p_kind, '/', p_ref) else v_subject_id::text end, p_input)) a;
            return;
        end if;
        -- Expired: the row is as good as gone, and gives way to this command's.
        delete from road.command k
        where k.sender = p_sender and k.actor = p_actor and k.command_id = p_command_id and k.expires_at <= road.now();
    end if;

    cmd := row (p_workflow, p_code, p_kind, p_ref, v_subject_id, v_parent_id, p_sender, p_actor, p_command_id,
        p_input, p_saw, p_sent_at, v_at, coalesce(v_last_seq, 0) + 1, coalesce(v_last_play_seq, 0),
        coalesce(v_further, '{}'), coalesce(v_further_seq, '{}'));

    -- 4. What had to be locked is still the same, and the versions (C-013, C-073).
    if v_traits.level <> 'none' or v_traits.locks then
        if v_traits.locks and road.dispatch_locks(cmd) is distinct from v_wanted then
            outcome := 'try_again';
            answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, v_subject_id, p_ref,
                road.reason('locks_changed', 'What the command has to lock changed while it waited; send it again.'));
            return;
        end if;
        if v_traits.level = 'play' then
            if jsonb_typeof(p_saw) is distinct from 'object' or not p_saw ? 'play' then
                v_reason := road.reason('version_missing', 'State the last play you saw in saw.play; null when you saw none.', jsonb_build_object('missing', jsonb_build_array('play')));
            elsif not road.valid_version(p_saw -> 'play') then
                v_reason := road.reason('bad_input', 'saw.play is the number of a play, or null.');
            else
                v_seen := (p_saw ->> 'play')::bigint;
                if v_seen is distinct from nullif(v_last_play_seq, 0) then
                    select coalesce(jsonb_agg(jsonb_build_object('row_id', c.row_id, 'changed_seq', c.changed_seq, 'value', c.value) order by c.changed_seq), '[]')
                    into v_changed
                    from road.dispatch_current(cmd) c;
                end if;
            end if;
        elsif v_traits.level = 'revision' then
            if jsonb_typeof(p_saw) is distinct from 'object' or not p_saw ? 'revision' then
                v_reason := road.reason('version_missing', 'State the revision you saw in saw.revision or the header If-Match.', jsonb_build_object('missing', jsonb_build_array('revision')));
            elsif p_saw ->> 'revision' is distinct from road.revision(v_subject_id, v_last_seq) then
                v_changed := jsonb_build_array(jsonb_build_object('row_id', p_kind || '/' || p_ref, 'changed_seq', v_last_seq,
                    'value', jsonb_build_object('revision', road.revision(v_subject_id, v_last_seq))));
            end if;
        elsif v_traits.level = 'rows' then
            select r.malformed, r.missing, r.changed into v_malformed, v_missing, v_changed from road.compare_rows(cmd) r;
            if v_malformed then
                v_reason := road.reason('bad_input', 'saw.rows gives each row a changed_seq, or null.');
            elsif v_missing is not null then
                v_reason := road.reason('version_missing', 'State the changed_seq you saw of each row in saw.rows; null when you saw none.', jsonb_build_object('missing', v_missing));
            end if;
        end if;
        if v_reason is not null then
            outcome := 'refused';
            answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, v_subject_id, p_ref, v_reason);
            return;
        end if;
        if v_changed is not null then
            outcome := 'conflict';
            answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, v_subject_id, p_ref,
                road.reason('version_moved', 'What you saw has moved on; look at what changed and decide again.')
                || jsonb_build_object('changed', v_changed));
            return;
        end if;
    end if;

    -- 5. The command's own function, in a savepoint that catches a rule's no and nothing else (C-014, C-071).
    begin
        if v_traits.creates or v_traits.locks then
            if v_traits.creates then
                cmd.subject_id := (road.create_subjects(p_kind, null, array[p_ref]))[1];
            elsif cardinality(v_wanted.create_refs) > 0 then
                cmd := road.create_further(cmd, v_wanted);
            end if;
        end if;

        v_handled := road.dispatch(cmd);

        answer := jsonb_build_object(
            'outcome', 'accepted', 'key', p_command_id, 'workflow', p_workflow, 'code', p_code,
            'subject', jsonb_build_object('kind', p_kind, 'id', cmd.subject_id, 'ref', p_ref),
            'seq', cmd.seq, 'result', coalesce(v_handled -> 'result', '{}'));

        -- 6. Notes are read in the order of transaction ids (C-116), so a subject's next note needs a greater one than its last.
        -- The transaction's own is, nearly always, when there was one lock. A command with several got it at the first of
        -- them, and somebody may have written to the second since; so may they at a single lock that several were waiting
        -- for. Then the log is written in here, and its xmin is the id: the savepoint's own, given out after the last lock.
        if (v_last_xid < pg_current_xact_id()) is not true or v_handled ?| '{further,secret}' then
            insert into road.log (subject_id, seq, at, sent_at, sender, actor, command_id, workflow, code, input, note)
            values (
                cmd.subject_id, cmd.seq, v_at, p_sent_at, p_sender, p_actor, p_command_id, p_workflow, p_code,
                case v_traits.log_input when 'full' then p_input when 'redacted' then p_input - v_traits.log_drop end,
                coalesce(v_handled -> 'note', '{}'))
            returning xmin::text::bigint into v_sub_xid;
            if v_handled ? 'further' then
                insert into road.log (subject_id, seq, at, sent_at, sender, actor, command_id, workflow, code, input, note)
                select f.key::uuid, road.seq_of(cmd, f.key::uuid), v_at, p_sent_at, p_sender, p_actor, p_command_id, p_workflow, p_code,
                    case v_traits.log_input when 'full' then p_input when 'redacted' then p_input - v_traits.log_drop end, f.value
                from jsonb_each(v_handled -> 'further') f;
            end if;
            -- The savepoint's 32-bit xid, widened by the epoch of the transaction that it is part of; one epoch on when the
            -- counter wrapped between the two.
            v_xid := pg_current_xact_id()::text::bigint;
            v_note_xid := ((v_xid & x'ffffffff00000000'::bigint) + v_sub_xid
                + case when v_sub_xid < (v_xid & x'ffffffff'::bigint) then x'100000000'::bigint else 0 end)::text::xid8;
            if v_handled ? 'secret' then
                answer := answer || '{"secret_shown": true}';
            end if;
        end if;
    exception when sqlstate 'UM001' then
        -- The savepoint is undone; a rule's no is an answer like any other, and stored.
        get stacked diagnostics v_code = constraint_name, v_text = message_text, v_detail = pg_exception_detail;
        outcome := 'refused';
        answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, v_subject_id, p_ref, road.reason(v_code, v_text, v_detail::jsonb));
        insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)
        values (p_sender, p_actor, p_command_id, v_subject_id, null, outcome, v_at, road.now(), road.now() + v_traits.key_ttl,
            road.payload_hash(p_workflow, p_code, case when v_traits.creates then concat(p_kind, '/', p_ref) else v_subject_id::text end, p_input), answer);
        return;
    end;

    -- Outside the savepoint, which locked the subjects outside too (an update inside would make a MultiXact): the number, the
    -- log, the outbox, the command with its exact answer.
    outcome := 'accepted';
    with numbered as (
        update road.subject s
        set last_seq = cmd.seq,
            last_xid = coalesce(v_note_xid, pg_current_xact_id()),
            last_play_seq = case v_traits.level when 'play' then cmd.seq else s.last_play_seq end
        where s.subject_id = v_subject_id
    ),
    logged as (
        insert into road.log (subject_id, seq, at, sent_at, sender, actor, command_id, workflow, code, input, note)
        select cmd.subject_id, cmd.seq, v_at, p_sent_at, p_sender, p_actor, p_command_id, p_workflow, p_code,
            case v_traits.log_input when 'full' then p_input when 'redacted' then p_input - v_traits.log_drop end,
            coalesce(v_handled -> 'note', '{}')
        where v_note_xid is null
    ),
    noted as (
        insert into road.note (xid, subject_id, seq, at, workflow, code, body)
        values (coalesce(v_note_xid, pg_current_xact_id()), cmd.subject_id, cmd.seq, v_at, p_workflow, p_code, coalesce(v_handled -> 'note', '{}'))
    )
    insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)
    values (p_sender, p_actor, p_command_id, cmd.subject_id, cmd.seq, outcome, v_at, road.now(), road.now() + v_traits.key_ttl,
        road.payload_hash(p_workflow, p_code, case when v_traits.creates then concat(p_kind, '/', p_ref) else v_subject_id::text end, p_input), answer);

    if cmd.seq % 64 = 0 or v_handled ?| '{further,secret}' then
        if cmd.seq % 64 = 0 then
            perform road.prune_commands(128);
        end if;
        if v_handled ? 'further' then
            update road.subject s
            set last_seq = road.seq_of(cmd, s.subject_id), last_xid = v_note_xid
            where s.subject_id in (select f.key::uuid from jsonb_each(v_handled -> 'further') f)
                and s.last_seq < road.seq_of(cmd, s.subject_id);
            insert into road.note (xid, subject_id, seq, at, workflow, code, body)
            select v_note_xid, f.key::uuid, road.seq_of(cmd, f.key::uuid), v_at, p_workflow, p_code, f.value
            from jsonb_each(v_handled -> 'further') f;
        end if;
        -- Shown this once: after everything that is stored has been written without it.
        if v_handled ? 'secret' then
            answer := answer || jsonb_build_object('secret', v_handled -> 'secret');
        end if;
    end if;
end
$$;
comment on function road.execute(text, text, text, text, text, text, jsonb, jsonb, text, timestamptz, bytea) is
'Gives a command exactly one answer. p_ref: the subject''s uuid or reference; p_command_id: the key, made once by the sender; p_saw: {play}, {rows: {row_id: changed_seq}} or {revision}; p_actor: empty when the sender acts for itself; p_token_sha256: null for a caller that was authenticated elsewhere. Returns the outcome and the answer''s body; the answer holds only once the transaction has committed.';
