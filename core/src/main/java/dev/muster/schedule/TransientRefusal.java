package dev.muster.schedule;

import java.sql.SQLException;
import java.util.Set;

/** What the database refuses for reasons that pass by themselves, and that no cron is to blame for. */
final class TransientRefusal {
    /** A lock that was not granted in time; a session that the server ended; a server that takes no writes at the moment. */
    private static final Set<String> STATES = Set.of("55P03", "25P03", "25006");

    /** Lost connections, serialization failures and deadlocks, no room, cancelled by an operator or a timeout, disk errors. */
    private static final Set<String> CLASSES = Set.of("08", "40", "53", "57", "58");

    private TransientRefusal() {}

    static boolean caused(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof SQLException refused) {
                String state = refused.getSQLState();
                return state == null || STATES.contains(state) || CLASSES.contains(state.substring(0, 2));
            }
        }
        return false;
    }
}
