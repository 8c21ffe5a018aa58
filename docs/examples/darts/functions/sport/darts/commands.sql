insert into road.workflow (workflow, summary) values
    ('darts', 'Darts: one leg of 501, to be finished on a double. Every command is a play.');

insert into road.catalogue_command (workflow, code, kind, level, handler, current, input_schema, example, refusals, summary)
select 'darts', c.code, 'fixture', 'play', 'sport.fixture_play', 'sport.fixture_missed_plays',
    c.input_schema::jsonb, c.example::jsonb,
    c.refusals::jsonb || jsonb_build_object(
        'wrong_workflow', 'The fixture is of another sport.',
        'not_open', 'The fixture is postponed, cancelled, suspended or abandoned.',
        'official', 'The result is official; it has to be protested first.'), c.summary
from (values
('throw_off',
$json${
    "type": "object", "additionalProperties": false, "required": ["side"],
    "properties": {
        "side": {"enum": ["home", "away"], "description": "Who throws first."}
    }
}$json$,
$json${"side": "home"}$json$,
$json${
    "already_started": "The leg has started already."
}$json$,
'Starts the leg.'),

('visit',
$json${
    "type": "object", "additionalProperties": false, "required": ["side", "darts"],
    "properties": {
        "side": {"enum": ["home", "away"]},
        "darts": {
            "type": "array", "minItems": 1, "maxItems": 3,
            "items": {"type": "string", "pattern": "^(0|25|50|[SDT]([1-9]|1[0-9]|20))$"},
            "description": "As they were thrown: S20, D20, T20; 25 and 50 are the bull, 0 is a miss."
        }
    }
}$json$,
$json${"side": "home", "darts": ["T20", "T20", "S5"]}$json$,
$json${
    "not_running": "The leg has not started, or it is over.",
    "out_of_turn": "It is the other side's turn.",
    "darts_missing": "A visit has three darts unless it finishes the leg or goes bust.",
    "visit_over": "A dart was thrown after the one that ended the visit."
}$json$,
'Records up to three darts. Whoever goes below two, or to zero without a double, is bust and keeps the old score.')
) c (code, input_schema, example, refusals, summary);

insert into road.catalogue_view (kind, view, handler, summary) values
    ('fixture', 'darts_averages', 'sport.darts_averages', 'Points for three darts, by side; not there for a fixture of another sport.');
