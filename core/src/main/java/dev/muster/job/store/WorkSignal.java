package dev.muster.job.store;

import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** Tells whoever claims that lanes have new work. A hint: polling is the truth. */
public interface WorkSignal {

    /** The work is committed. */
    void newWork(Set<Lane> lanes);

    /** The work will be visible when this transaction commits. */
    void newWork(Connection connection, Set<Lane> lanes) throws SQLException;
}
