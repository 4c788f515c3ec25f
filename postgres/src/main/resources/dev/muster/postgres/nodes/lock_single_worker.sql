-- Lets workers that claim join beside each other, and one that does not claim only alone: FOR SHARE or FOR UPDATE. The table has
-- one row.
SELECT only_row FROM {schema}.muster_single_worker {strength}
