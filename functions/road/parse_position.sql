-- raises: UM003 what cannot be a position; UM020 a position of another cluster or timeline
create or replace function road.parse_position(p_position text, out xid xid8, out id bigint)
returns record
language plpgsql
stable
as $$
declare
    v_part text[] := regexp_match(p_position, '^([0-9a-f]{1,16}-[0-9a-f]{1,8})-([0-9]{1,19})-([0-9]{1,18})$');
    v_here text;
begin
    if v_part is null then
        raise exception using errcode = 'UM003', message = 'a position is what a read, a note or a page gave as position';
    end if;
    select to_hex(i.system_identifier) || '-' || to_hex(i.timeline) into v_here from road.cluster_identity() i;
    if v_part[1] <> v_here then
        raise exception using errcode = 'UM020',
            message = 'this position is from another database cluster or timeline; read the state again, and move consumers with: umpire ops rebase';
    end if;
    xid := v_part[2]::xid8;
    id := v_part[3]::bigint;
end
$$;
comment on function road.parse_position(text) is 'The (xid, id) of a position that this cluster gave out.';
