-- Marks static crons as gone that no node has published for the given time. A node that publishes at the same time comes first or
-- makes this statement wait, because publishing locks the definitions.
UPDATE {schema}.muster_crons c SET gone_at = {schema}.muster_clock()
WHERE c.source = 'static' AND c.gone_at IS NULL
  AND NOT EXISTS (SELECT FROM {schema}.muster_cron_definitions d
                  WHERE d.cron = c.name AND d.published_at > {schema}.muster_clock() - ? * interval '1 millisecond')
RETURNING c.name
