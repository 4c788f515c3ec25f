-- The newest runs; ids ascend with time.
-- Inputs and results behind the first 16 MB of them, as they are stored, are left out.
SELECT {workflows/parts/listed} FROM (
  SELECT p.*, sum(pg_column_size(p.input) + coalesce(pg_column_size(p.result), 0)) OVER (ORDER BY p.id DESC) AS size FROM (
SELECT {workflows/parts/columns}
WHERE (?::text IS NULL OR r.workflow_name = ?) AND (?::text IS NULL OR r.workflow_version = ?)
  AND (?::text[] IS NULL
       OR r.status = ANY (?::text[]) AND (r.finished_at IS NOT NULL OR j.token IS NULL OR r.status = 'compensating')
       OR 'running' = ANY (?::text[]) AND r.finished_at IS NULL AND j.token IS NOT NULL AND r.status <> 'compensating')
  AND r.id < coalesce(?::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') AND r.id >= coalesce(?::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.id DESC LIMIT ?) p) l
ORDER BY l.id DESC
