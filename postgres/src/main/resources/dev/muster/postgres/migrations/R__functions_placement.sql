-- Which nodes fit the placement of a job. A placement is the text in muster_jobs.capability: empty, the name of a capability, or an
-- expression such as gpu&zone=eu!spot@node-1|node-2 or ~node-3. Nodes evaluate it in Java (dev.muster.job.Placement), these functions
-- are for explanations and views; a test compares the two.

-- These functions use nothing but built-in functions, so they need no search_path of their own, and PostgreSQL can inline them.

-- The regular expression has four groups: what is required, what is forbidden, the nodes, and the excluded nodes.
CREATE OR REPLACE FUNCTION muster_fits(expression text, capabilities text[], labels jsonb, node text) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE
    WHEN expression = '' OR expression = ANY (capabilities) THEN true
    WHEN expression !~ '[&!@|~=]' THEN false
    ELSE (
      SELECT NOT EXISTS (
               SELECT FROM unnest(string_to_array(part[1], '&')) AS required (term)
               WHERE NOT CASE WHEN strpos(term, '=') = 0 THEN term = ANY (capabilities)
                              ELSE coalesce(labels ->> split_part(term, '=', 1) = substr(term, strpos(term, '=') + 1), false) END)
         AND NOT EXISTS (
               SELECT FROM unnest(string_to_array(substr(part[2], 2), '!')) AS forbidden (term)
               WHERE CASE WHEN strpos(term, '=') = 0 THEN term = ANY (capabilities)
                          ELSE coalesce(labels ->> split_part(term, '=', 1) = substr(term, strpos(term, '=') + 1), false) END)
         AND (part[3] IS NULL OR node = ANY (string_to_array(part[3], '|')))
         AND (part[4] IS NULL OR node <> ALL (string_to_array(part[4], '|')))
      FROM regexp_match(expression, '^([^!@~]*)((?:![^!@~]*)*)(?:@([^~]*))?(?:~(.*))?$') AS part)
  END
$$;
COMMENT ON FUNCTION muster_fits(text, text[], jsonb, text) IS 'Whether a node with these capabilities and labels may run jobs with this placement, a value of muster_jobs.capability.';

CREATE OR REPLACE FUNCTION muster_misfits(expression text, capabilities text[], labels jsonb, node text) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT ARRAY (
    SELECT 'lacks ' || term FROM unnest(string_to_array(part[1], '&')) WITH ORDINALITY AS required (term, ordinal)
    WHERE NOT CASE WHEN strpos(term, '=') = 0 THEN term = ANY (capabilities)
                   ELSE coalesce(labels ->> split_part(term, '=', 1) = substr(term, strpos(term, '=') + 1), false) END
    ORDER BY ordinal)
  || ARRAY (
    SELECT 'has ' || term FROM unnest(string_to_array(substr(part[2], 2), '!')) WITH ORDINALITY AS forbidden (term, ordinal)
    WHERE CASE WHEN strpos(term, '=') = 0 THEN term = ANY (capabilities)
               ELSE coalesce(labels ->> split_part(term, '=', 1) = substr(term, strpos(term, '=') + 1), false) END
    ORDER BY ordinal)
  || CASE WHEN node <> ALL (string_to_array(part[3], '|')) THEN ARRAY['is not one of the nodes'] ELSE '{}' END
  || CASE WHEN node = ANY (string_to_array(part[4], '|')) THEN ARRAY['is excluded'] ELSE '{}' END
  FROM regexp_match(expression, '^([^!@~]*)((?:![^!@~]*)*)(?:@([^~]*))?(?:~(.*))?$') AS part
$$;
COMMENT ON FUNCTION muster_misfits(text, text[], jsonb, text) IS 'Why a node with these capabilities and labels may not run jobs with this placement, one entry for each reason.';
