-- Admits jobs of these lines; it waits for their rows in muster_lines. Along index muster_jobs_line.
SELECT a.line, a.queue, a.capability, a.next_ms FROM {schema}.muster_admit(?::text[], ?, ?) a
