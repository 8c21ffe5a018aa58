begin;
\ir ../builders.sql
select plan(3);

select build.fixture();
select is(road.dispatch_verify('event', build.subject('event', 'cup')), null, 'a kind without a verifier has nothing to replay');
select is(road.dispatch_verify('fixture', build.subject('fixture', 'final')), null, 'a fixture as it should be');
update sport.fixture_status set status = 'finished';
select isnt(road.dispatch_verify('fixture', build.subject('fixture', 'final')), null, 'and one that is not');

select * from finish();
rollback;
