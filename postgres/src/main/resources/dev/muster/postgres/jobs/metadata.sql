-- A column of queries that read jobs for people: a job's metadata as names and values in turn. Rows that somebody wrote by
-- hand may hold something else than an object.
ARRAY(SELECT unnest(ARRAY[entry.key, entry.value])
      FROM jsonb_each_text(CASE WHEN jsonb_typeof(metadata) = 'object' THEN metadata END) entry) AS metadata
