-- The one form of a feed position on the wire. Opaque to whoever keeps it; server/feed reads the same form.
create or replace function road.position(p_system_identifier bigint, p_timeline integer, p_xid xid8, p_id bigint)
returns text
language sql
immutable
as $$
    select pg_catalog.concat_ws('-', pg_catalog.to_hex(p_system_identifier), pg_catalog.to_hex(p_timeline), p_xid::text, p_id::text)
$$;
comment on function road.position(bigint, integer, xid8, bigint) is 'A feed position as clients get it: everything up to (p_xid, p_id) was seen, in this cluster and timeline.';
