begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
select build.plays('final', '[["card", {"side": "home", "person": "Ann", "card": "yellow", "minute": 5}], ["card", {"side": "home", "person": "Ann", "card": "second", "minute": 7}]]');
select is((build.edit('fixture.play_void', '{"play": 3, "reason": "x"}')).body #> '{reason,detail}', '{"play": 4, "code": "no_first_yellow", "message": "A second yellow needs a first."}', 'a second yellow is not left without its first');
select is(build.edited('fixture.play_void', '{"play": 4, "reason": "x"}'), 'accepted', 'the other way round');
select is(build.edited('fixture.play_void', '{"play": 3, "reason": "x"}'), 'accepted', 'it works');

select * from finish();
rollback;
