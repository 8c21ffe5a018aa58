-- Writes the dispatchers from the catalogue: one function per kind of function, and every call in it static. A dynamic
-- EXECUTE in their place costs about 15 % of the throughput. A new command is a new catalogue row and the function it
-- names; nothing else.
do $do$
declare
    v_tree text;
    v_names text[];
    v_traits road.command_traits[];
    v_dispatcher record;
begin
    for v_dispatcher in
        select d.name, d.arguments, d.key, d.returns, d.volatility, d.call, d.otherwise, d.comment, d.arms
        from (values
            ('dispatch', 'cmd road.call', 'cmd.workflow || ''.'' || cmd.code', 'jsonb', 'volatile', 'return %s(cmd);',
                'raise exception using errcode = ''UM006'', message = ''the catalogue names no handler for this command'';',
                'Calls the handler of a command. Written from road.catalogue_command at install.',
                (select array_agg(array[c.workflow || '.' || c.code, c.handler] order by c.workflow, c.code) from road.catalogue_command c)),
            ('dispatch_locks', 'cmd road.call', 'cmd.workflow || ''.'' || cmd.code', 'road.lock_request', 'volatile', 'return %s(cmd);',
                'return null;',
                'Calls the lock function of a command; null when it has none. Written from road.catalogue_command at install.',
                (select array_agg(array[c.workflow || '.' || c.code, c.locks] order by c.workflow, c.code) from road.catalogue_command c where c.locks is not null)),
            ('dispatch_current', 'cmd road.call', 'cmd.workflow || ''.'' || cmd.code', 'setof road.current_row', 'volatile',
                'return query select r.row_id, r.changed_seq, r.value from %s(cmd) r;',
                'return;',
                'Calls the function that shows a command''s rows or plays as they are now. Written from road.catalogue_command at install.',
                (select array_agg(array[c.workflow || '.' || c.code, c.current] order by c.workflow, c.code) from road.catalogue_command c where c.current is not null)),
            ('dispatch_view', 'p_view text, q road.query', 'q.kind || ''/'' || p_view', 'jsonb', 'stable', 'return %s(q);',
                'return null;',
                'Calls the function of a view; null when there is no such view. Written from road.catalogue_view at install.',
                (select array_agg(array[v.kind || '/' || v.view, v.handler] order by v.kind, v.view) from road.catalogue_view v)),
            ('dispatch_verify', 'p_kind text, p_subject_id uuid', 'p_kind', 'text', 'stable', 'return %s(p_subject_id);',
                'return null;',
                'Calls the function that replays a subject''s domain state; null when nothing differs. Written from road.kind at install.',
                (select array_agg(array[k.kind, k.verifier] order by k.kind) from road.kind k where k.verifier is not null))
        ) d (name, arguments, key, returns, volatility, call, otherwise, comment, arms)
    loop
        select road.decision_tree(
            coalesce(array_agg(a.key order by a.key), '{}'), coalesce(array_agg(format(v_dispatcher.call, a.function) order by a.key), '{}'), '    ')
        into v_tree
        from (
            select v_dispatcher.arms[i][1] collate "C", v_dispatcher.arms[i][2]
            from generate_subscripts(v_dispatcher.arms, 1) i
        ) a (key, function);

        execute format(
            E'create or replace function road.%I(%s)\nreturns %s\nlanguage plpgsql\n%s\nas $$\ndeclare\n    v_key text collate "C" := %s;\nbegin\n%s    %s\nend\n$$',
            v_dispatcher.name, v_dispatcher.arguments, v_dispatcher.returns, v_dispatcher.volatility, v_dispatcher.key, v_tree, v_dispatcher.otherwise);
        execute format('comment on function road.%I(%s) is %L', v_dispatcher.name,
            (select string_agg(split_part(trim(a), ' ', 2), ', ') from unnest(string_to_array(v_dispatcher.arguments, ',')) a), v_dispatcher.comment);
    end loop;

    -- Two constants side by side: one expression, which Postgres puts in where it is called.
    select
        array_agg(c.workflow || '.' || c.code || ' ' || c.kind order by c.workflow, c.code),
        array_agg(row (c.level, c.creates, c.locks is not null, c.log_input, c.log_drop, c.key_ttl)::road.command_traits order by c.workflow, c.code)
    into v_names, v_traits
    from road.catalogue_command c;
    execute format(
        E'create or replace function road.command_traits(p_workflow text, p_code text, p_kind text)\nreturns road.command_traits\nlanguage sql\nimmutable\nas $$\n    select (%L::road.command_traits[])[array_position(%L::text[], p_workflow || ''.'' || p_code || '' '' || p_kind)]\n$$',
        v_traits, v_names);
    comment on function road.command_traits(text, text, text) is 'What the road must know of a command; null when there is none. Written from road.catalogue_command at install: a look into the table cost a tenth of a command.';
end
$do$;
