package dev.muster.leader;

import static dev.muster.leader.LeaderRole.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leaders among nodes. */
class LeadershipIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    /** Looks so rarely that only a wake-up can explain a change. */
    private static final Map<String, String> PATIENT =
            Map.of("leader.check_interval", "1h", "leader.renew", "20m", "leader.lease", "1h");

    private static Map<String, String> quick(String strategy) {
        return Map.of(
                "leader.strategy", strategy,
                "leader.check_interval", "200ms",
                "leader.renew", "300ms",
                "leader.lease", "60s");
    }

    /** Longer than the lease. */
    private static final Duration LEASE_ENDS = Duration.ofSeconds(61);

    private static Object mark(Connection tx) throws SQLException {
        try (Statement statement = tx.createStatement()) {
            return statement.executeUpdate("INSERT INTO public.mark VALUES (1)");
        }
    }

    private long marks() {
        return database.number("SELECT count(*) FROM mark");
    }

    private String leader() {
        return database.column("SELECT coalesce(node_id, '') FROM muster_leaders WHERE role = 'scheduler'")
                .get(0);
    }

    @Test
    void oneNodeLeadsEveryRoleAndHandsOverAtOnceWhenItLeaves() {
        Muster one = node(PATIENT);
        Muster two = node(PATIENT);
        for (LeaderRole role : LeaderRole.values()) {
            assertThat(one.leadership(role).isLeader()).isTrue();
            assertThat(two.leadership(role).isLeader()).isFalse();
            assertThatThrownBy(() -> two.leadership(role).term()).isInstanceOf(StaleLeader.class);
        }

        one.close();

        await().atMost(SOON).until(() -> two.leadership(SCHEDULER).isLeader());
        assertThat(two.leadership(SCHEDULER).term()).isEqualTo(2);
        assertThat(leader()).isEqualTo(two.nodeId());
    }

    @Test
    void aLeaderThatStandsStillIsReplacedAndItsWriteIsRefused() throws SQLException {
        for (String strategy : List.of("advisory", "lease")) {
            database.execute("DROP TABLE IF EXISTS mark");
            database.execute("CREATE TABLE mark (id int)");
            try (Cluster cluster = Cluster.on(database, quick(strategy))) {
                Node frozen = cluster.node();
                Leadership stale = frozen.leadership(SCHEDULER);
                stale.fenced(LeadershipIT::mark);
                Node other = cluster.node();
                frozen.freeze();
                cluster.clock().advance(LEASE_ENDS);

                await().atMost(SOON).until(() -> other.leadership(SCHEDULER).isLeader());
                frozen.thaw();

                assertThatThrownBy(() -> stale.fenced(LeadershipIT::mark)).isInstanceOf(StaleLeader.class);
                other.leadership(SCHEDULER).fenced(LeadershipIT::mark);
                assertThat(marks()).isEqualTo(2);
            }
        }
    }

    @Test
    void aLeaderWithoutADatabaseStepsDownByItself() {
        try (Cluster cluster = Cluster.on(database, quick("lease"))) {
            Node node = cluster.node();
            long term = node.leadership(SCHEDULER).term();

            node.cutDatabase();
            cluster.clock().advance(LEASE_ENDS);
            await().atMost(SOON).until(() -> !node.leadership(SCHEDULER).isLeader());
            node.restoreDatabase();

            await().atMost(SOON).until(() -> node.leadership(SCHEDULER).isLeader());
            assertThat(node.leadership(SCHEDULER).term()).isBetween(term, term + 1);
        }
    }

    @Test
    void aNodeSeesForHowLongNobodyHasLed() {
        try (Cluster cluster = Cluster.on(database, quick("lease"))) {
            Node leader = cluster.node();
            Node other = cluster.node();
            assertThat(other.leadership(SCHEDULER).vacantFor()).isZero();
            other.cutDatabase();
            leader.close();
            assertThat(other.leadership(SCHEDULER).vacantFor())
                    .as("it cannot look")
                    .isZero();

            other.restoreDatabase();
            await().atMost(SOON).until(() -> other.leadership(SCHEDULER).isLeader());
            assertThat(other.leadership(SCHEDULER).vacantFor()).isZero();
        }
    }

    @Test
    void aNodeThatLosesItsControlSessionAloneStillLeadsOrIsReplaced() {
        Muster one = node(quick("advisory"));
        long term = one.leadership(SCHEDULER).term();
        String lost = controlSessions();

        database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid IN ("
                        + lost + ")");

        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND"
                                + " database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                                + " AND pid NOT IN (" + lost + ")")
                        == 3);
        // The session of the node that leads is another one now, so no later moment takes the leadership from it.
        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(StaleLeader.class)
                .until(() -> one.leadership(SCHEDULER).term() >= term);
    }

    /** The processes of the sessions that hold the locks of leaders, as a list for SQL. */
    private String controlSessions() {
        return String.join(
                ", ",
                database.column("SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory'"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"advisory", "lease"})
    void anotherStrategyIsRefusedWhileSomeoneLeads(String strategy) {
        String other = strategy.equals("lease") ? "advisory" : "lease";
        Muster leader = node(Map.of("leader.strategy", strategy));

        assertThatThrownBy(() -> node(Map.of("leader.strategy", other)))
                .isInstanceOf(MusterException.class)
                .hasMessage("leader.strategy = " + other + " here, but node " + leader.nodeId()
                        + " leads scheduler by " + strategy + "; set leader.strategy to " + strategy
                        + " as on the other nodes, or stop all nodes to change it");

        leader.close();
        assertThat(node(Map.of("leader.strategy", other)).leadership(SCHEDULER).isLeader())
                .isTrue();
    }

    @Test
    void nodesThatWereToldSoLeadUnelected() {
        database.execute("CREATE TABLE mark (id int)");
        Muster elected = node();
        try (Muster unelected = builder(Map.of()).debugLeadUnelected().build()) {
            unelected.start();

            elected.leadership(SCHEDULER).fenced(LeadershipIT::mark);
            unelected.leadership(SCHEDULER).fenced(LeadershipIT::mark);

            assertThat(marks()).isEqualTo(2);
            assertThat(leader()).isEqualTo(elected.nodeId());
        }
    }

    @Test
    void anIdleLeaderAsksOnceForAllRoles() {
        Muster node = node(PATIENT);
        database.execute("CREATE TABLE renewals AS SELECT role, xmin::text AS by FROM muster_leaders");
        database.execute("SELECT pg_notify('muster_public', '!leader')");

        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_leaders l JOIN renewals r USING (role)"
                                + " WHERE l.xmin::text <> r.by")
                        == 3);

        assertThat(database.number("SELECT count(DISTINCT xmin::text) FROM muster_leaders"))
                .as("transactions that renewed the three")
                .isEqualTo(1);
        assertThat(node.leadership(SCHEDULER).isLeader()).isTrue();
    }
}
