-- Runs for their activations.
SELECT {workflows/parts/loaded} WHERE r.id = ANY (?::uuid[])
