-- PL-01: one command, one subtransaction, whatever it does; the ids handed out tell.
begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
create function build.subtransactions(p_code text, p_input jsonb) returns bigint language plpgsql as $$
declare
    v_before bigint; v_after bigint;
begin
    begin insert into build.ids default values; v_before := (select max(xmin::text::bigint) from build.ids where xmin::text = (select xmin::text from build.ids order by id desc limit 1)); exception when others then raise; end;
    perform build.play(p_code, p_input);
    begin insert into build.ids default values; exception when others then raise; end;
    select i.xmin::text::bigint into v_after from build.ids i order by i.id desc limit 1;
    return v_after - v_before - 1;
end
$$;
create table build.ids (id serial);
select is(build.subtransactions('goal', '{"side": "home", "minute": 5}'), 1::bigint, 'PL-01: an accepted play takes one');
select is(build.subtransactions('card', '{"side": "home", "minute": 5, "person": "Ann", "card": "yellow"}'), 1::bigint, 'PL-01: a card too');
select cmp_ok(build.subtransactions('goal', '{"side": "home", "minute": 60}'), '<=', 1::bigint, 'PL-01: a refused one at most one');

select * from finish();
rollback;
