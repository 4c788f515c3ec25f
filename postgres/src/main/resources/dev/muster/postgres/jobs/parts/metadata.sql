-- A column of queries that show jobs: the metadata as alternating names and values. A row that was written by hand may contain
-- something other than an object.
ARRAY(SELECT unnest(ARRAY[entry.key, entry.value])
      FROM jsonb_each_text(CASE WHEN jsonb_typeof(metadata) = 'object' THEN metadata END) entry) AS metadata
