set local role umpire_owner;

-- The server's own background work sends commands too, under the sender system. It has no token, so nobody can be it from
-- outside, and it is never shut out.
do $$
begin
    if exists (select from road.sender d where d.sender = 'system') then
        raise exception using message = 'there is a sender named system, which is the server''s own name from now on',
            hint = 'Stop that sender, let its keys expire (30 days), delete its row and migrate again.';
    end if;
end
$$;
alter table road.sender alter column token_sha256 drop not null;
alter table road.sender add constraint sender_system_check check (
    case
        when sender <> 'system' then token_sha256 is not null
        else num_nonnulls(token_sha256, old_token_sha256, workflows, events, disabled_at) = 0
    end);
insert into road.sender (sender) values ('system');
comment on table road.sender is 'The devices, providers and servers that may send commands, and system, which is the server itself. Tokens are never stored, only their sha256. No foreign key: the workflows are checked when a sender is added, and an event may be named before it is created.';
comment on column road.sender.token_sha256 is 'sha256 of the current bearer token; null for system alone, which nobody can be over HTTP.';

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

delete from road.sender where sender = 'system';
alter table road.sender drop constraint sender_system_check;
alter table road.sender alter column token_sha256 set not null;

reset role;
