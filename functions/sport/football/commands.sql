insert into road.workflow (workflow, summary) values
    ('football', 'Association football: periods, goals, cards, substitutions, video review, the shoot-out. Every command is a play.');

insert into road.catalogue_command (workflow, code, kind, level, handler, current, input_schema, example, refusals, summary)
select 'football', c.code, 'fixture', 'play', 'sport.fixture_play', 'sport.fixture_missed_plays',
    c.input_schema::jsonb, c.example::jsonb,
    c.refusals::jsonb || jsonb_build_object(
        'wrong_workflow', 'The fixture is of another sport.',
        'not_open', 'The fixture is postponed, cancelled, suspended or abandoned.',
        'official', 'The result is official; it has to be protested first.'), c.summary
from (values
('period_start',
$json${
    "type": "object", "additionalProperties": false, "required": ["period"],
    "properties": {
        "period": {"enum": ["H1", "H2", "ET1", "ET2", "PSO"], "description": "First and second half, extra time, penalty shoot-out."}
    }
}$json$,
$json${"period": "H1"}$json$,
$json${
    "already_running": "Another period is running.",
    "finished": "The match is over.",
    "period_order": "Periods come in the order H1, H2, ET1, ET2, PSO.",
    "not_level": "Extra time and a shoot-out are for a level score.",
    "not_in_settings": "The fixture has no extra time or no shoot-out by its settings."
}$json$,
'Starts a period.'),

('period_end',
$json${
    "type": "object", "additionalProperties": false, "required": ["period"],
    "properties": {
        "period": {"enum": ["H1", "H2", "ET1", "ET2", "PSO"]},
        "added": {"type": "integer", "minimum": 0, "maximum": 60, "description": "Minutes played on top."}
    }
}$json$,
$json${"period": "H1", "added": 7}$json$,
$json${
    "not_running": "No period is running, or another one is.",
    "not_decided": "A shoot-out ends when it is decided."
}$json$,
'Ends the period that is running. The match is finished when nothing can follow.'),

('goal',
$json${
    "type": "object", "additionalProperties": false, "required": ["side", "minute"],
    "properties": {
        "side": {"enum": ["home", "away"], "description": "The side that the goal counts for."},
        "kind": {"enum": ["goal", "penalty", "own"], "default": "goal", "description": "own: scored by a player of the other side."},
        "scorer": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Who scored; may be unknown."},
        "assist": {"type": "string", "minLength": 1, "maxLength": 128},
        "minute": {"type": "integer", "minimum": 1, "maximum": 130},
        "added": {"type": "integer", "minimum": 0, "maximum": 60, "description": "45+2 is minute 45, added 2."}
    }
}$json$,
$json${"side": "home", "kind": "penalty", "scorer": "Lionel Messi", "minute": 23}$json$,
$json${
    "not_running": "No period is running.",
    "in_shootout": "In a shoot-out only kicks are recorded.",
    "wrong_minute": "The minute is not of the period that is running.",
    "same_person": "Scorer and assist are the same person.",
    "no_assist": "An own goal has no assist.",
    "sent_off": "The scorer was sent off.",
    "not_on_pitch": "Scorer or assist is not on the pitch for that side."
}$json$,
'Records a goal.'),

('card',
$json${
    "type": "object", "additionalProperties": false, "required": ["side", "person", "card", "minute"],
    "properties": {
        "side": {"enum": ["home", "away"]},
        "person": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Player, substitute or staff."},
        "card": {"enum": ["yellow", "second", "red"], "description": "second: the second yellow, which sends off."},
        "minute": {"type": "integer", "minimum": 0, "maximum": 130},
        "added": {"type": "integer", "minimum": 0, "maximum": 60}
    }
}$json$,
$json${"side": "away", "person": "Adrien Rabiot", "card": "yellow", "minute": 55}$json$,
$json${
    "not_started": "The match has not started.",
    "already_booked": "The person has a yellow card: is this the second?",
    "no_first_yellow": "A second yellow needs a first.",
    "sent_off": "The person was sent off already.",
    "not_in_squad": "The person is neither in the side's line-up nor of its staff."
}$json$,
'Records a card; also between periods and after the match.'),

('kick',
$json${
    "type": "object", "additionalProperties": false, "required": ["side", "scored"],
    "properties": {
        "side": {"enum": ["home", "away"]},
        "taker": {"type": "string", "minLength": 1, "maxLength": 128},
        "scored": {"type": "boolean"}
    }
}$json$,
$json${"side": "away", "taker": "Kylian Mbappé", "scored": true}$json$,
$json${
    "not_in_shootout": "No shoot-out is running.",
    "out_of_turn": "It is the other side's turn.",
    "sent_off": "The taker was sent off.",
    "not_on_pitch": "The taker is not on the pitch.",
    "already_kicked": "The taker has kicked in this round; everybody else kicks first."
}$json$,
'Records a kick of the shoot-out. The kick that decides it ends the shoot-out and the match.'),

('sub',
$json${
    "type": "object", "additionalProperties": false, "required": ["side", "off", "on", "minute"],
    "properties": {
        "side": {"enum": ["home", "away"]},
        "off": {"type": "string", "minLength": 1, "maxLength": 128},
        "on": {"type": "string", "minLength": 1, "maxLength": 128},
        "concussion": {"type": "boolean", "description": "For a concussion: counts against no limit."},
        "minute": {"type": "integer", "minimum": 1, "maximum": 130},
        "added": {"type": "integer", "minimum": 0, "maximum": 60}
    }
}$json$,
$json${"side": "away", "off": "Olivier Giroud", "on": "Marcus Thuram", "minute": 41}$json$,
$json${
    "not_started": "The match has not started.",
    "finished": "The match is over.",
    "wrong_minute": "The minute is not of the period that is running.",
    "same_person": "The same person goes off and comes on.",
    "sent_off": "One of the two was sent off.",
    "not_on_pitch": "Who goes off is not on the pitch.",
    "not_on_bench": "Who comes on is not on the bench.",
    "already_used": "Who comes on has been on the pitch before.",
    "sub_limit": "The side has no substitution left; one for a concussion says so.",
    "sub_windows": "The side has no window for a substitution left."
}$json$,
'Records a substitution.'),

('var',
$json${
    "type": "object", "additionalProperties": false, "required": ["stage"],
    "properties": {
        "stage": {"enum": ["check", "field", "confirmed", "changed"], "description": "The video is looked at; the referee goes to the screen; the decision stands; it is changed."},
        "play": {"type": "integer", "minimum": 1, "description": "The play that is reviewed; left out when what is reviewed was not recorded."},
        "void": {"enum": [true], "description": "With changed: the play is taken out."},
        "add": {"type": "object", "description": "With changed: a goal or a card that is given instead."},
        "minute": {"type": "integer", "minimum": 1, "maximum": 130},
        "reason": {"type": "string", "minLength": 1, "maxLength": 500}
    }
}$json$,
$json${"stage": "changed", "play": 12, "void": true, "reason": "Offside."}$json$,
$json${
    "not_started": "The match has not started.",
    "outcome_missing": "A changed decision says what it voids or adds.",
    "outcome_early": "Only a changed decision voids or adds.",
    "play_missing": "Name the play that the decision takes out.",
    "no_such_play": "There is no such play, or it was taken out before.",
    "illegal_play": "Without the play a later one would not be allowed; the detail names the first.",
    "not_running": "The goal that it adds: no period is running.",
    "in_shootout": "The goal that it adds: in a shoot-out only kicks are recorded.",
    "wrong_minute": "The goal that it adds: the minute is not of the period that is running.",
    "same_person": "The goal that it adds: scorer and assist are the same person.",
    "no_assist": "The goal that it adds: an own goal has no assist.",
    "sent_off": "Who is named in what it adds was sent off.",
    "not_on_pitch": "The goal that it adds: scorer or assist is not on the pitch for that side.",
    "already_booked": "The card that it adds: the person has a yellow card; is this the second?",
    "no_first_yellow": "The card that it adds: a second yellow needs a first.",
    "not_in_squad": "The card that it adds: the person is neither in the side's line-up nor of its staff."
}$json$,
'Records a step of a video review. A changed decision takes the play out, adds one, or both, in one log row; the note tells every reader what was cancelled.')
) c (code, input_schema, example, refusals, summary);

-- What a review may add is a goal or a card as they are.
update road.catalogue_command v
set input_schema = jsonb_set(v.input_schema, '{properties,add,oneOf}', (
    select jsonb_agg(jsonb_build_object(
        'type', 'object', 'additionalProperties', false, 'required', jsonb_build_array('code', 'input'),
        'properties', jsonb_build_object('code', jsonb_build_object('enum', jsonb_build_array(c.code)), 'input', c.input_schema)) order by c.code)
    from road.catalogue_command c
    where c.workflow = 'football' and c.code in ('goal', 'card')))
where v.workflow = 'football' and v.code = 'var';
