-- Starts the catalogue anew: the files of the domains put back what there is. Readers see the old rows until the install
-- commits, then the new ones.
delete from road.catalogue_command;
delete from road.catalogue_view;
delete from road.workflow;
delete from road.kind;
