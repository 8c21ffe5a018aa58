-- raises: UM003 when the page was not one that was given out
create or replace function road.page_number(p_after text)
returns bigint
language plpgsql
immutable
as $$
begin
    if p_after !~ '^[0-9]{1,18}$' then
        raise exception using errcode = 'UM003', message = 'cursor is what the last page gave as next';
    end if;
    return coalesce(p_after::bigint, 0);
end
$$;
comment on function road.page_number(text) is 'The number after which a page goes on; 0 for the first page.';
