-- Removes static crons that no node has published for so long; not one that an operator paused, or it would come back running. Whoever publishes just now makes it wait or comes first:
-- publishing locks the definitions.
DELETE FROM {schema}.muster_crons c
WHERE c.source = 'static' AND c.paused_at IS NULL
  AND NOT EXISTS (SELECT FROM {schema}.muster_cron_definitions d
                  WHERE d.cron = c.name AND d.published_at > {schema}.muster_clock() - ? * interval '1 millisecond')
RETURNING c.name
