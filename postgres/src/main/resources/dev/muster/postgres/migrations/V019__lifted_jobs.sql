-- Jobs that wait for long can be lifted to a higher priority.

COMMENT ON COLUMN muster_jobs.rank IS 'Claim order: the priority, or the higher one that the job was lifted to because it waited for long, plus 1 for a job that was handed back and goes first there.';
