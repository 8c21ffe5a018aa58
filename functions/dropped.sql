-- Functions that an earlier install left and that are gone for good, one `drop function if exists` a line.
drop function if exists sport.football_on_pitch(jsonb, text, text);
