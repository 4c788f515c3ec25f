-- A page of the audit, for people: the newest first. Along the primary key, or along index muster_audit_caller, muster_audit_action or
-- muster_audit_target if the filter names one of these.
SELECT a.id, a.at, a.caller, a.caller_name, a.address, a.tenant, a.action, a.target, a.details, a.request_id, a.node, a.outcome
FROM {schema}.muster_audit a
WHERE a.id < ?{filter}
ORDER BY a.id DESC LIMIT ?
