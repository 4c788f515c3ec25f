package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobStatus;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Lets the time of dead and frozen nodes run out, and of no other node: whatever a busy machine does, those that live keep what they have.
 * Everything happens in the database as if the time had passed.
 */
final class LostLeases {
    private static final int MANY = 100_000;

    /** Nodes search from where they have searched before: a claim must end in the future to be found, or be moved once more. */
    private static final String NOT_NOW =
            "lease_until NOT BETWEEN muster_clock() - interval '2 seconds' AND muster_clock() + interval '1 second'";

    private final TestDatabase database;

    LostLeases(TestDatabase database) {
        this.database = database;
    }

    /** The leases of these nodes have ended, and their jobs have been taken back as the leader does it. For when nobody else is there. */
    void end(String... nodes) {
        try (Store store = StoreOf.dataSource(database.dataSource())) {
            await("the end of the leases of " + Arrays.toString(nodes)).until(() -> {
                runOut("muster_clock() - interval '1 second'", "true", nodes);
                List<Recovered> recovered =
                        store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, MANY, true));
                return recovered.isEmpty() && haveNothing(nodes);
            });
        }
        wakeAll();
    }

    /** The leases of these nodes have ended, and the nodes that live have taken their jobs back by themselves. */
    void endBesideOthers(Duration limit, String... nodes) {
        await("that others take back the jobs of " + Arrays.toString(nodes))
                .atMost(limit)
                .until(() -> {
                    runOut("muster_clock() + interval '300 milliseconds'", NOT_NOW, nodes);
                    return haveNothing(nodes);
                });
        wakeAll();
    }

    /**
     * @param until when the nodes' claims end
     * @param which of their claims, as a condition
     */
    private void runOut(String until, String which, String... nodes) {
        String held = named("node_id", nodes);
        database.execute("UPDATE muster_leaders SET expires_at = muster_clock() - interval '1 hour' WHERE " + held
                + " AND expires_at > muster_clock()");
        database.execute("UPDATE muster_jobs SET lease_until = muster_clock() - interval '1 second' WHERE id IN"
                + " (SELECT id FROM muster_jobs WHERE " + held + " AND token IS NOT NULL FOR UPDATE SKIP LOCKED)");
        database.execute(
                "UPDATE muster_claims SET lease_until = " + until + " WHERE ctid = ANY (ARRAY (SELECT ctid FROM"
                        + " muster_claims WHERE " + held + " AND " + which + " FOR UPDATE SKIP LOCKED))");
    }

    private boolean haveNothing(String... nodes) {
        return database.number("SELECT count(*) FROM muster_jobs WHERE " + named("node_id", nodes) + " AND status IN ('"
                        + text(JobStatus.CLAIMED) + "', '" + text(JobStatus.RUNNING) + "')")
                == 0;
    }

    /**
     * What the dead and frozen nodes were just writing is over. Before a node is found dead, the server has long ended its transactions;
     * here it is found dead at once, and a row that it has locked would be passed over until its lease ends.
     */
    void awaitEndOfOpenTransactions() {
        String now = database.column("SELECT clock_timestamp()::text").get(0);
        await("the end of what was written at " + now)
                .until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND backend_xid IS NOT NULL AND xact_start <= '" + now + "'")
                        == 0);
    }

    /**
     * These nodes have been silent for minutes, while the database was there and others were not; leases have not ended. A heartbeat that
     * was on its way when its node died undoes it: repeat this until the nodes are found dead. It changes nothing that is so already.
     */
    void beSilent(String... nodes) {
        database.execute("UPDATE muster_nodes SET in_touch_since = muster_clock() - interval '20 minutes'"
                + " WHERE in_touch_since > muster_clock() - interval '10 minutes'");
        database.execute("UPDATE muster_nodes SET last_heartbeat = muster_clock() - interval '5 minutes',"
                + " heartbeat_interval = interval '1 second', claims_before = 9000000000000000000 WHERE "
                + named("id", nodes)
                + " AND status <> 'dead' AND last_heartbeat > muster_clock() - interval '4 minutes'");
    }

    /** Nodes look for jobs now, and not only at their next poll. */
    private void wakeAll() {
        database.execute("SELECT pg_notify('muster_public', '')");
    }

    private static String named(String column, String... nodes) {
        return column + " IN ("
                + Arrays.stream(nodes).map(node -> "'" + node + "'").collect(Collectors.joining(", ")) + ")";
    }

    private static String text(JobStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }
}
