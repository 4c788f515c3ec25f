-- Lets a worker that claims jobs join beside others that do, but not beside one with worker.claiming = false. The table has one row.
SELECT only_row FROM {schema}.muster_single_worker FOR SHARE
