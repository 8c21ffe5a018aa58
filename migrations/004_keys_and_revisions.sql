set local role umpire_owner;

-- Keys have a life of their own (the catalogue's key_ttl): whoever writes a command row prunes some that have expired.
create index command_expires_at_idx on road.command (expires_at);
comment on index road.command_expires_at_idx is 'Finds command rows whose key has expired.';

-- A fourth version level: the opaque revision of the whole subject, for clients that think in ETags.
alter table road.catalogue_command drop constraint catalogue_command_level_check;
alter table road.catalogue_command add constraint catalogue_command_level_check check (level in ('none', 'rows', 'play', 'revision'));
alter table road.catalogue_command drop constraint catalogue_command_check;
alter table road.catalogue_command add constraint catalogue_command_check check (level in ('none', 'revision') or current is not null);
comment on column road.catalogue_command.level is 'Which versions the sender must state (C-073): none; rows (changed_seq of each row it changes); play (the last play it saw); revision (the opaque revision of the subject).';

-- tern writes its version with the role that it connected as
reset role;

---- create above / drop below ----

set local role umpire_owner;

alter table road.catalogue_command drop constraint catalogue_command_check;
alter table road.catalogue_command add constraint catalogue_command_check check (level = 'none' or current is not null);
alter table road.catalogue_command drop constraint catalogue_command_level_check;
alter table road.catalogue_command add constraint catalogue_command_level_check check (level in ('none', 'rows', 'play'));
drop index road.command_expires_at_idx;

reset role;
