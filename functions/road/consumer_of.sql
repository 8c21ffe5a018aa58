-- raises: UM002 no such consumer of this sender; UM007 the sender may not read logs; UM020 its position is of another
-- cluster or timeline; UM021 it has expired
create or replace function road.consumer_of(p_sender text, p_consumer text, p_expired_too boolean default false)
returns road.consumer
language plpgsql
stable
as $$
declare
    v_consumer road.consumer;
begin
    if p_sender is not null and not exists (select from road.sender d where d.sender = p_sender and d.disabled_at is null and d.may_read_log) then
        raise exception using errcode = 'UM007', message = 'consumers are for senders that may read logs';
    end if;
    select c.consumer, c.sender, c.xid, c.id, c.top_id, c.system_identifier, c.timeline, c.max_lag, c.created_at, c.acknowledged_at, c.expired_at
    into v_consumer
    from road.consumer c
    where c.consumer = p_consumer and (p_sender is null or c.sender = p_sender);
    if not found then
        raise exception using errcode = 'UM002', message = 'there is no such consumer';
    end if;
    if exists (select from road.cluster_identity() i where (i.system_identifier, i.timeline) is distinct from (v_consumer.system_identifier, v_consumer.timeline)) then
        raise exception using errcode = 'UM020',
            message = 'the consumer''s position is from another database cluster or timeline (a restore or a failover); an operator moves it with: umpire ops rebase';
    end if;
    if v_consumer.expired_at is not null and not p_expired_too then
        raise exception using errcode = 'UM021', message = 'the consumer lagged for too long and has expired; notes may have been pruned: rewind it to a position that is still kept, or to start';
    end if;
    return v_consumer;
end
$$;
comment on function road.consumer_of(text, text, boolean) is 'A consumer that may be read or moved now. p_sender: who asks; null = an operator.';
