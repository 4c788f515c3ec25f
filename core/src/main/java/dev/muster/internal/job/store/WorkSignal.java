package dev.muster.internal.job.store;

import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** Notifies workers that lanes have new jobs. A lost notification does no harm, because workers also poll. */
public interface WorkSignal {

    /** Notifies of jobs that are committed already. */
    void newWork(Set<Lane> lanes);

    /** Notifies of jobs that become visible when this transaction commits. */
    void newWork(Connection connection, Set<Lane> lanes) throws SQLException;
}
