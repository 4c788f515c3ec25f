package dev.muster.access;

import java.util.List;

/** Who did what to the cluster: every change of API keys, and every action of the gateway that needs the scope admin. */
@FunctionalInterface
public interface Audit {

    /** The newest first. Entries are kept for {@code history.audit_retain}. */
    List<AuditEntry> list(AuditQuery query);
}
