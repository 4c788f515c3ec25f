package dev.muster.internal.worker;

import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.job.JobId;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides whether an attempt failed because the database was away. Such an attempt does not count, whether the handler used the
 * database in {@code completeIn}, whose connection always leads to Muster's own database, or while this node had lost contact
 * with the database too.
 *
 * <p>A handler itself may bring the database down. So a job is excused a few times on each node, and after that its attempts
 * count. A job whose handler may be entered only once is never excused, because it would be entered again.
 */
final class DatabaseOutages {
    private static final int TIMES = 5;
    private static final int REMEMBERED = 10_000;

    private final ClaimStore store;
    private final Map<JobId, Integer> excused = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<JobId, Integer> eldest) {
            return size() > REMEMBERED;
        }
    };

    DatabaseOutages(ClaimStore store) {
        this.store = store;
    }

    /** Whether this failure is not the handler's fault. Nothing that the attempt wrote with its outcome was committed. */
    boolean excuse(OpenClaim claim, Throwable failure) {
        if (claim.retries().runsOnce()) {
            return false;
        }
        boolean lost = SqlErrors.causedByLostConnection(failure);
        boolean away = claim.databaseFailed()
                || lost && (claim.completesItself() || store.lostContactSince(claim.startedAt()));
        return away && mayExcuse(claim.job().id());
    }

    private synchronized boolean mayExcuse(JobId id) {
        return excused.merge(id, 1, Integer::sum) <= TIMES;
    }

    /** Whether the connection is lost, or the history partition of the day does not exist yet. */
    static boolean isNoFaultOfHandlers(SQLException e) {
        return SqlErrors.connectionLost(e) || SqlErrors.noPartition(e);
    }
}
