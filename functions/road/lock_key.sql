-- Waits for another command under the same key: a second lock, so for 200 ms at the most (see road.lock_subjects).
create or replace function road.lock_key(p_key_lock bigint)
returns void
language plpgsql
volatile
set lock_timeout = '200ms'
as $$
begin
    perform pg_advisory_xact_lock(p_key_lock);
end
$$;
comment on function road.lock_key(bigint) is 'Waits until no other command under the key is under way. 55P03 after 200 ms.';
