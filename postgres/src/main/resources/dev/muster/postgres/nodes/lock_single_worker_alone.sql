-- Lets a worker with worker.claiming = false join while no other worker joins. The table has one row.
SELECT only_row FROM {schema}.muster_single_worker FOR UPDATE
