-- Adds those of the jobs whose ids are not among the live ones; the statement may wait for whoever inserts the same.
{jobs/enqueue} ON CONFLICT (id) DO NOTHING RETURNING id
