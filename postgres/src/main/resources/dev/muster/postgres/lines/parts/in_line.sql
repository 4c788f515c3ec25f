-- Whether a job j stands in line, in the words of index muster_jobs_due_in_line.
j.ready_at = 'infinity' AND coalesce(j.line_at < 'infinity', false)
