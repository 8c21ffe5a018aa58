-- The one code package. Only what is named here is installed, in this order, in one transaction. Functions are replaced,
-- never dropped with their schema; what has gone for good is named in dropped.sql.
set local role umpire_owner;
set local check_function_bodies = off;

{{ template "road/guard.sql" . }}
{{ template "dropped.sql" . }}
{{ template "road/catalogue.sql" . }}

{{ template "road/now.sql" . }}
{{ template "road/refuse.sql" . }}
{{ template "road/payload_hash.sql" . }}
{{ template "road/early_answer.sql" . }}
{{ template "road/reason.sql" . }}
{{ template "road/seq_of.sql" . }}
{{ template "road/may_touch.sql" . }}
{{ template "road/valid_ref.sql" . }}
{{ template "road/valid_version.sql" . }}
{{ template "road/page_number.sql" . }}
{{ template "road/lock_key.sql" . }}
{{ template "road/lock_subjects.sql" . }}
{{ template "road/compare_rows.sql" . }}
{{ template "road/create_subjects.sql" . }}
{{ template "road/create_further.sql" . }}
{{ template "road/execute.sql" . }}
{{ template "road/saved_command.sql" . }}
{{ template "road/record_failure.sql" . }}
{{ template "road/cluster_identity.sql" . }}
{{ template "road/position.sql" . }}
{{ template "road/parse_position.sql" . }}
{{ template "road/last_position.sql" . }}
{{ template "road/read.sql" . }}
{{ template "road/read_log.sql" . }}
{{ template "road/notes.sql" . }}
{{ template "road/feed_page.sql" . }}
{{ template "road/feed_rebase.sql" . }}
{{ template "road/prune_notes.sql" . }}
{{ template "road/consumer_of.sql" . }}
{{ template "road/consumer_state.sql" . }}
{{ template "road/consumer_create.sql" . }}
{{ template "road/consumer_page.sql" . }}
{{ template "road/consumer_acknowledge.sql" . }}
{{ template "road/consumer_rewind.sql" . }}
{{ template "road/consumer_drop.sql" . }}
{{ template "road/consumer_list.sql" . }}
{{ template "road/consumer_expire.sql" . }}
{{ template "road/sender_add.sql" . }}
{{ template "road/sender_rotate.sql" . }}
{{ template "road/sender_disable.sql" . }}
{{ template "road/sender_list.sql" . }}
{{ template "road/sender_by_token.sql" . }}
{{ template "road/record_install.sql" . }}

{{ template "sport/kinds.sql" . }}
{{ template "sport/event/commands.sql" . }}
{{ template "sport/event/create.sql" . }}
{{ template "sport/event/fixture_put_locks.sql" . }}
{{ template "sport/event/fixture_put_current.sql" . }}
{{ template "sport/event/fixture_put.sql" . }}
{{ template "sport/event/state.sql" . }}
{{ template "sport/event/fixtures.sql" . }}
{{ template "sport/fixture/commands.sql" . }}
{{ template "sport/fixture/note.sql" . }}
{{ template "sport/fixture/fold.sql" . }}
{{ template "sport/fixture/play.sql" . }}
{{ template "sport/fixture/missed_plays.sql" . }}
{{ template "sport/fixture/state.sql" . }}
{{ template "sport/fixture/plays.sql" . }}
{{ template "sport/fixture/commentary.sql" . }}
{{ template "sport/fixture/verify.sql" . }}
{{ template "sport/football/commands.sql" . }}
{{ template "sport/football/minute_fits.sql" . }}
{{ template "sport/football/period_start.sql" . }}
{{ template "sport/football/period_end.sql" . }}
{{ template "sport/football/goal.sql" . }}
{{ template "sport/football/card.sql" . }}
{{ template "sport/football/kick.sql" . }}
{{ template "sport/football/fold.sql" . }}

{{ template "ops/invariants.sql" . }}
{{ template "ops/verify.sql" . }}

{{ template "road/dispatchers.sql" . }}
{{ template "road/grants.sql" . }}
{{ template "code_hash.sql" . }}
