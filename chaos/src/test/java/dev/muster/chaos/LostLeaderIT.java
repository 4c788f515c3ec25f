package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leaders that are killed or stand still, as processes. */
class LostLeaderIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration CHECK = Duration.ofMillis(500);
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final List<LeaderProcess> nodes = new ArrayList<>();
    private TestDatabase database;

    @BeforeEach
    void openDatabase() {
        database = TestDatabase.fromEnv();
        database.execute("CREATE TABLE written (node text, what text)");
    }

    @AfterEach
    void closeAll() {
        nodes.forEach(LeaderProcess::close);
        database.close();
    }

    private LeaderProcess node(String id, Map<String, String> settings) {
        LeaderProcess node = LeaderProcess.start(id, database.url(), settings);
        nodes.add(node);
        return node;
    }

    private static Map<String, String> quick(String strategy) {
        return Map.of(
                "leader.strategy",
                strategy,
                "leader.check_interval",
                CHECK.toMillis() + "ms",
                "leader.renew",
                "500ms",
                "leader.lease",
                LEASE.toMillis() + "ms");
    }

    /** With every setting at its default. */
    @Test
    void aKilledLeaderIsReplacedWithinSixSeconds() {
        LeaderProcess leader = node("a", Map.of()).awaitLeads(SOON);
        LeaderProcess other = node("b", Map.of());
        assertThat(other.leads()).isFalse();

        leader.process().kill9();

        other.awaitLeads(Duration.ofSeconds(6));
        assertThat(other.who()).startsWith("LEADS 2 on ");
    }

    @Test
    void aKilledLeaderIsReplacedWithinLeaseAndCheckWithoutLocks() {
        LeaderProcess leader = node("a", quick("lease")).awaitLeads(SOON);
        LeaderProcess other = node("b", quick("lease"));

        leader.process().kill9();

        other.awaitLeads(LEASE.plus(CHECK).plusSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"advisory", "lease"})
    void aFrozenLeaderIsReplacedAndWritesNothingAfterwards(String strategy) {
        LeaderProcess leader = node("a", quick(strategy)).awaitLeads(SOON);
        assertThat(leader.write()).isEqualTo("WROTE write");
        LeaderProcess other = node("b", quick(strategy));

        leader.process().stop();
        other.awaitLeads(SOON);
        leader.process().cont();

        assertThat(leader.write()).startsWith("REFUSED write StaleLeader");
        assertThat(other.write()).isEqualTo("WROTE write");
        assertThat(database.column("SELECT node FROM written ORDER BY node")).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"advisory", "lease"})
    void aLeaderFrozenInsideAFencedTransactionIsReplacedAndThatIsRolledBack(String strategy) {
        LeaderProcess leader = node("a", quick(strategy)).awaitLeads(SOON);
        LeaderProcess other = node("b", quick(strategy));
        leader.hold();

        leader.process().stop();
        other.awaitLeads(SOON);
        leader.process().cont();

        assertThat(leader.go()).startsWith("REFUSED hold");
        assertThat(leader.write()).startsWith("REFUSED write StaleLeader");
        assertThat(database.column("SELECT node FROM written")).isEmpty();
    }
}
