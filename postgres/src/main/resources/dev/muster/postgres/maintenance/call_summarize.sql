-- Lets index muster_job_history_finished know of the rows that were written since it was last summarized.
SELECT {schema}.muster_summarize_history(?)
