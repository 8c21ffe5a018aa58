-- The road's clock: the database's, as it is at this very moment (not the transaction's start). For anything that
-- expires. A test may replace it inside its own transaction.
create or replace function road.now()
returns timestamptz
language sql
volatile
as $$
    select pg_catalog.clock_timestamp()
$$;
comment on function road.now() is 'The clock that everything which expires is compared with: clock_timestamp().';
