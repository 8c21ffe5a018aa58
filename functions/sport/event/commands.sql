insert into road.workflow (workflow, summary) values
    ('event', 'Competitions and their fixtures: create, schedule.');

insert into road.catalogue_command (workflow, code, kind, level, creates, handler, locks, current, input_schema, example, refusals, summary) values
('event', 'create', 'event', 'none', true, 'sport.event_create', null, null,
$json${
    "type": "object", "additionalProperties": false, "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What people call it."},
        "starts_on": {"type": "string", "format": "date", "description": "First day."},
        "ends_on": {"type": "string", "format": "date", "description": "Last day."},
        "settings": {"$ref": "#/$defs/settings"}
    },
    "$defs": {
        "settings": {
            "type": "object", "additionalProperties": false,
            "description": "What a fixture may do when it is level: false when not given.",
            "properties": {
                "extra_time": {"type": "boolean", "description": "Two periods of extra time."},
                "shootout": {"type": "boolean", "description": "A penalty shoot-out."}
            }
        }
    }
}$json$,
$json${"name": "World Cup 2022", "starts_on": "2022-11-20", "ends_on": "2022-12-18"}$json$,
$json${
    "exists": "An event already has this reference.",
    "dates_reversed": "The last day is before the first."
}$json$,
'Creates an event under the reference in the path.'),

('event', 'fixture_put', 'event', 'rows', false, 'sport.event_fixture_put', 'sport.event_fixture_put_locks', 'sport.event_fixture_put_current',
$json${
    "type": "object", "additionalProperties": false, "required": ["fixture", "sport", "home", "away"],
    "properties": {
        "fixture": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$", "description": "The fixture's reference; new = create, known = edit its schedule."},
        "sport": {"type": "string", "pattern": "^[a-z][a-z_]{0,31}$", "description": "The workflow that scores it. Never changes."},
        "home": {"type": "string", "minLength": 1, "maxLength": 200, "description": "First side, or a placeholder such as TBD."},
        "away": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Second side."},
        "starts_at": {"type": ["string", "null"], "format": "date-time", "description": "Planned start."},
        "venue": {"type": ["string", "null"], "minLength": 1, "maxLength": 200},
        "phase": {"type": ["string", "null"], "minLength": 1, "maxLength": 100, "description": "Phase or round: final, group A."},
        "settings": {
            "type": "object", "additionalProperties": false,
            "description": "Overrides of the event's settings.",
            "properties": {
                "extra_time": {"type": "boolean"},
                "shootout": {"type": "boolean"}
            }
        }
    }
}$json$,
$json${"fixture": "wc2022-final", "sport": "football", "home": "Argentina", "away": "France", "starts_at": "2022-12-18T15:00:00Z", "venue": "Lusail Stadium", "phase": "final", "settings": {"extra_time": true, "shootout": true}}$json$,
$json${
    "exists": "A fixture already has this reference, created a moment ago.",
    "other_event": "The fixture belongs to another event.",
    "sport_fixed": "A fixture's sport never changes.",
    "unknown_sport": "There is no workflow of this name that scores fixtures.",
    "bad_reference": "A reference has 1 to 128 of A-Z a-z 0-9 . _ : - , begins with a letter or digit, and is not a uuid.",
    "same_side": "Both sides are the same.",
    "already_started": "A fixture that has started keeps its scheduled start and its sides."
}$json$,
'Creates a fixture under the event, or edits its schedule. Its row is schedule: state the changed_seq you saw of fixture/REF/schedule, null for a new one.');

insert into road.catalogue_view (kind, view, handler, paged, open, summary) values
    ('event', 'state', 'sport.event_state', false, true, 'The event.'),
    ('event', 'fixtures', 'sport.event_fixtures', true, true, 'Its fixtures by reference, with schedule, status and score.'),
    ('event', 'log', 'road.read_log', true, false, 'Every accepted command, oldest first.');
