-- Whether a job j waits for admission, in the words of index muster_jobs_due_for_admission.
j.ready_at = 'infinity' AND coalesce(j.group_position < 'infinity', false)
