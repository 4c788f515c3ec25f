-- Lets runs of a workflow continue. Whoever parks a run because of the pause holds this row until that is written.
DELETE FROM {schema}.muster_workflow_pauses WHERE name = ?
