-- The columns of a batch for people.
SELECT b.id, b.name, b.status, b.condition, b.success_rate, b.cancel_requested, b.completion_job, b.deciding_job, b.created_at,
       b.sealed_at, b.closed_at
