-- Writes an entry of the audit.
INSERT INTO {schema}.muster_audit (at, caller, caller_name, address, tenant, action, target, details, request_id, node, outcome)
VALUES ({schema}.muster_clock(), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING id
