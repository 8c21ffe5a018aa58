-- The kinds of subject of the sport domain, in the order in which they are locked.
insert into road.kind (kind, lock_rank, verifier, summary) values
    ('event', 10, null, 'A competition.'),
    ('fixture', 20, 'sport.fixture_verify', 'A match or any other unit of an event.');
