-- What is said of a job in a queue q that is paused.
'queue ''' || job.queue || ''' has been paused since ' || to_char(q.paused_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
