-- Lets no run of a workflow continue.
INSERT INTO {schema}.muster_workflow_pauses (name, paused_at) VALUES (?, {schema}.muster_clock()) ON CONFLICT DO NOTHING
