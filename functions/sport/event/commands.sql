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
            "description": "What the rules of the competition leave open.",
            "properties": {
                "extra_time": {"type": "boolean", "description": "Two periods of extra time; false when not given."},
                "shootout": {"type": "boolean", "description": "A penalty shoot-out; false when not given."},
                "starters": {"type": "integer", "minimum": 1, "maximum": 30, "description": "How many of a side start; 11 when not given."},
                "subs": {"type": "integer", "minimum": 0, "maximum": 30, "description": "Substitutions of a side; one more in extra time; no limit when not given."},
                "sub_windows": {"type": "integer", "minimum": 0, "maximum": 30, "description": "Stops of play in which a side may substitute; one more in extra time; no limit when not given."}
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
                "shootout": {"type": "boolean"},
                "starters": {"type": "integer", "minimum": 1, "maximum": 30},
                "subs": {"type": "integer", "minimum": 0, "maximum": 30},
                "sub_windows": {"type": "integer", "minimum": 0, "maximum": 30}
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
'Creates a fixture under the event, or edits its schedule. Its row is schedule: state the changed_seq you saw of fixture/REF/schedule, null for a new one.'),

('event', 'squad_put', 'event', 'rows', false, 'sport.event_squad_put', null, 'sport.event_squad_row',
$json${
    "type": "object", "additionalProperties": false, "required": ["team", "members"],
    "properties": {
        "team": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The team, as the fixtures name their sides."},
        "members": {
            "type": "array", "maxItems": 100, "description": "Everybody whom the team may field.",
            "items": {
                "type": "object", "additionalProperties": false, "required": ["person"],
                "properties": {
                    "person": {"type": "string", "minLength": 1, "maxLength": 128, "description": "What line-ups and plays say: a name or an id."},
                    "name": {"type": "string", "minLength": 1, "maxLength": 200},
                    "shirt": {"type": "integer", "minimum": 0, "maximum": 999}
                }
            }
        }
    }
}$json$,
$json${"team": "Argentina", "members": [{"person": "Lionel Messi", "shirt": 10}, {"person": "Emiliano Martínez", "shirt": 23}]}$json$,
$json${"twice_named": "Somebody is named twice."}$json$,
'Says whom a team may field: line-ups are checked against it. Its row is event/REF/squad/TEAM.'),

('event', 'sources_set', 'event', 'rows', false, 'sport.event_sources_set', null, 'sport.event_sources_row',
$json${
    "type": "object", "additionalProperties": false, "required": ["group", "order"],
    "properties": {
        "group": {"enum": ["score", "schedule", "lineup", "officials"], "description": "What they say something about."},
        "order": {
            "type": "array", "maxItems": 50, "uniqueItems": true, "description": "Sources, the best first. entered (our own commands) and plays (what they fold to) come first when they are not named.",
            "items": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$"}
        },
        "senders": {
            "type": "object", "description": "Who may claim for a source: its name, and those of the senders. For one that is left out any sender may that may touch the fixture.",
            "additionalProperties": {
                "type": "array", "minItems": 1, "maxItems": 50, "uniqueItems": true,
                "items": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,62}$"}
            }
        }
    }
}$json$,
$json${"group": "score", "order": ["entered", "plays", "feed-a", "feed-b"], "senders": {"feed-a": ["provider-a"]}}$json$,
$json${"source_not_in_order": "Senders are given for a source that the order does not name."}$json$,
'Says whose value counts, for all fixtures of the event, and who may claim for whom. Its row is event/REF/sources/GROUP.');

insert into road.catalogue_view (kind, view, handler, paged, open, summary) values
    ('event', 'state', 'sport.event_state', false, true, 'The event.'),
    ('event', 'fixtures', 'sport.event_fixtures', true, true, 'Its fixtures by reference, with schedule, status and score.'),
    ('event', 'squads', 'sport.event_squads', true, true, 'Its squads by team.'),
    ('event', 'sources', 'sport.event_sources', false, true, 'Whose value counts, by field group.'),
    ('event', 'log', 'road.read_log', true, false, 'Every accepted command, oldest first.');
