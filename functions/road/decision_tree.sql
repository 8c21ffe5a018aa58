-- The questions by which a dispatcher finds its function. Each leaves half of the keys out: with a CASE, which asks for one
-- key after the other, a command would cost more the further back in the alphabet its sport is.
create or replace function road.decision_tree(p_keys text[], p_calls text[], p_indent text)
returns text
language plpgsql
stable
as $$
declare
    v_half integer := cardinality(p_keys) / 2;
begin
    case cardinality(p_keys)
    when 0 then
        return '';
    when 1 then
        return format(E'%1$sif v_key = %2$L then\n%1$s    %3$s\n%1$send if;\n', p_indent, p_keys[1], p_calls[1]);
    else
        return format(E'%1$sif v_key < %2$L then\n%3$s%1$selse\n%4$s%1$send if;\n', p_indent, p_keys[v_half + 1],
            road.decision_tree(p_keys[:v_half], p_calls[:v_half], p_indent || '    '),
            road.decision_tree(p_keys[v_half + 1:], p_calls[v_half + 1:], p_indent || '    '));
    end case;
end
$$;
comment on function road.decision_tree(text[], text[], text) is 'The PL/pgSQL statements that do p_calls[i] when v_key = p_keys[i], and nothing when it is none of them. p_keys: in the order of collation "C", as v_key must be compared. For dispatchers.sql at install; nothing calls it at run time.';
