-- What node.labels says, for people and for placement by words.
ALTER TABLE muster_nodes ADD COLUMN labels jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN muster_nodes.labels IS 'Keys and values from node.labels, as in {"zone": "eu"}.';
