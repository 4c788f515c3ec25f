-- The last run of each chain of runs that continue one another, so that nobody has to walk a long chain from its beginning.

CREATE TABLE muster_workflow_chains (
  first_run uuid NOT NULL PRIMARY KEY,
  last_run  uuid NOT NULL
);
COMMENT ON TABLE muster_workflow_chains IS 'Where to look for the last run of a chain: this one, or one that continues it. Chains without a row are walked from the run that is asked for.';
