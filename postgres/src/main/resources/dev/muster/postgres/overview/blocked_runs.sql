-- The versions of workflows whose live runs are marked as blocked, with a bounded count of their runs. Versions are found by jumping along
-- index muster_workflow_runs_live. All live runs of a version are marked except those that compensate, so the first few tell.
WITH RECURSIVE version AS (
  (SELECT r.workflow_name, r.workflow_version, r.signature, 1 AS number
   FROM {schema}.muster_workflow_runs r WHERE r.finished_at IS NULL
   ORDER BY r.workflow_name, r.workflow_version, r.signature LIMIT 1)
  UNION ALL
  SELECT next.workflow_name, next.workflow_version, next.signature, version.number + 1
  FROM version
  CROSS JOIN LATERAL (
    SELECT r.workflow_name, r.workflow_version, r.signature
    FROM {schema}.muster_workflow_runs r
    WHERE r.finished_at IS NULL
      AND (r.workflow_name, r.workflow_version, r.signature) > (version.workflow_name, version.workflow_version, version.signature)
    ORDER BY r.workflow_name, r.workflow_version, r.signature LIMIT 1) next
  WHERE version.number < 500)
SELECT v.workflow_name, v.workflow_version, coalesce(first.resolution_reason, 'no live node can resume them') AS reason, first.changed_at,
       (SELECT count(*) FROM (
          SELECT FROM {schema}.muster_workflow_runs r
          WHERE r.finished_at IS NULL AND r.workflow_name = v.workflow_name AND r.workflow_version = v.workflow_version
            AND r.signature = v.signature
          LIMIT 1001) some_of_them) AS runs
FROM version v
CROSS JOIN LATERAL (
  SELECT some_of_them.resolution_reason, some_of_them.changed_at
  FROM (SELECT r.status, r.resolution_reason, r.changed_at FROM {schema}.muster_workflow_runs r
        WHERE r.finished_at IS NULL AND r.workflow_name = v.workflow_name AND r.workflow_version = v.workflow_version
          AND r.signature = v.signature
        ORDER BY r.id LIMIT 20) some_of_them
  WHERE some_of_them.status LIKE 'blocked%'
  LIMIT 1) first
LIMIT 20
