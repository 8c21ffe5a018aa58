insert into road.workflow (workflow, summary) values
    ('football', 'Association football: periods, goals, cards, the shoot-out. Every command is a play.');

insert into road.catalogue_command (workflow, code, kind, level, handler, current, input_schema, example, refusals, summary)
select 'football', c.code, 'fixture', 'play', 'sport.fixture_play', 'sport.fixture_missed_plays',
    c.input_schema::jsonb, c.example::jsonb,
    c.refusals::jsonb || jsonb_build_object('wrong_workflow', 'The fixture is of another sport.'), c.summary
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
    "sent_off": "The scorer was sent off."
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
    "sent_off": "The person was sent off already."
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
    "already_kicked": "The taker has kicked in this round; everybody else kicks first."
}$json$,
'Records a kick of the shoot-out. The kick that decides it ends the shoot-out and the match.')
) c (code, input_schema, example, refusals, summary);
