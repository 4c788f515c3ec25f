-- Records why crons could not be fired. They stay due, but are not tried again for a while.
UPDATE {schema}.muster_crons c SET
  problem = n.problem, retry_at = {schema}.muster_clock() + ? * interval '1 millisecond'
FROM unnest(?::text[], ?::text[]) AS n (name, problem)
WHERE c.name = ANY (ARRAY[n.name])
