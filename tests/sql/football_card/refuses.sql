begin;
\ir ../builders.sql
select plan(14);

select build.fixture();
create function build.card(p_card text, p_person text default 'Ann', p_side text default 'home') returns text language sql as
$$select build.play('card', jsonb_build_object('side', p_side, 'person', p_person, 'card', p_card, 'minute', 10))$$;
select is(build.card('yellow'), 'refused not_started', 'football.card refuses not_started');
select build.plays('final', '[["period_start", {"period": "H1"}]]');
select is(build.card('second'), 'refused no_first_yellow', 'football.card refuses no_first_yellow');
select is(build.card('yellow'), 'accepted', 'yellow');
select is(build.card('yellow'), 'refused already_booked', 'football.card refuses already_booked');
select is(build.card('second', p_side => 'away'), 'refused no_first_yellow', 'the namesake on the other side has none');
select is(build.card('second'), 'accepted', 'second yellow');
select is(build.card('yellow'), 'refused sent_off', 'football.card refuses sent_off');
select is(build.card('red'), 'refused sent_off', 'nor red after that');
select is(build.card('red', 'Bea'), 'accepted', 'red at once');
select is(build.card('second', 'Bea'), 'refused sent_off', 'nothing after red');
select is(build.card('yellow', 'Cleo'), 'accepted', 'yellow');
select is(build.card('red', 'Cleo'), 'accepted', 'then straight red');
select is(build.state() -> 'people', '{"home/Ann": "second", "home/Bea": "red", "home/Cleo": "red"}', 'who has what');
select build.plays('final', '[["period_end", {"period": "H1"}]]');
select is(build.card('yellow', 'Dora'), 'accepted', 'also at half-time');

select * from finish();
rollback;
