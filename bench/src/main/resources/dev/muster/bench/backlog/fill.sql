-- Pending jobs as enqueue.sql would have written them, in all five priorities by turns, the newest due just now.
insert into muster_jobs
  (id, name, queue, capability, priority, rank, status, run_at, ready_at, created_at, args)
select uuidv7(), 'send-confirmation', 'default', '', p.priority, p.priority, 'pending', t.due, t.due, t.due,
  ('{"kind": "confirmation", "note": "abcdefghij", "email": "user' || i % 1000 || '@example.com", "order": '
    || 100000 + i || '}')::jsonb
from generate_series(1, ?::int) i
cross join lateral (select (array[0, 25, 50, 75, 100])[i % 5 + 1]::smallint as priority) p
cross join lateral (select statement_timestamp() - (?::int - i) * interval '10 microseconds' as due) t
