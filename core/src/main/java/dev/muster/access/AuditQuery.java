package dev.muster.access;

import dev.muster.runtime.MusterException;
import java.util.Optional;

/**
 * Which entries of the audit to list:
 *
 * <pre>{@code
 * audit.list(AuditQuery.newest().action("queues.pause").limit(20));
 * }</pre>
 *
 * @param before only entries with a lower id: the last id of one page leads to the next
 * @param limit how many entries, 1 to 1,000
 * @param caller only entries of the caller with this id
 * @param action only entries with this action
 * @param target only entries with this target
 */
public record AuditQuery(
        Optional<Long> before, int limit, Optional<String> caller, Optional<String> action, Optional<String> target) {
    public static final int MAX_LIMIT = 1_000;
    private static final int DEFAULT_LIMIT = 50;

    /** @throws MusterException if the limit is not allowed */
    public AuditQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new MusterException("a page of the audit has 1 to " + MAX_LIMIT + " entries, not " + limit);
        }
    }

    /** The newest 50 entries. */
    public static AuditQuery newest() {
        return new AuditQuery(Optional.empty(), DEFAULT_LIMIT, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public AuditQuery before(long id) {
        return new AuditQuery(Optional.of(id), limit, caller, action, target);
    }

    public AuditQuery limit(int newLimit) {
        return new AuditQuery(before, newLimit, caller, action, target);
    }

    public AuditQuery caller(String id) {
        return new AuditQuery(before, limit, Optional.of(id), action, target);
    }

    public AuditQuery action(String name) {
        return new AuditQuery(before, limit, caller, Optional.of(name), target);
    }

    public AuditQuery target(String name) {
        return new AuditQuery(before, limit, caller, action, Optional.of(name));
    }
}
