-- A part of why_not_claimed.sql: says of a job in a queue with a limit how many places are used, and with which queues its own takes turns.
CASE WHEN q.limited THEN
  '; queue ''' || job.queue || ''' '
  || CASE WHEN q.max_running IS NOT NULL THEN 'runs ' || place.used || ' of at most ' || {schema}.muster_counted(q.max_running, 'job') || ' and ' ELSE '' END
  || 'takes turns with ' || coalesce((SELECT string_agg('''' || rival.name || '''', ', ' ORDER BY rival.name) FROM rival) || ' and with ', '')
  || 'queues without a limit'
ELSE '' END
