package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import dev.muster.testing.Sizes;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leaders that are killed or stand still, as processes. */
class LostLeaderIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration PROMISED = Duration.ofSeconds(6);
    private static final Duration LEASE_AND_CHECK = Duration.ofSeconds(15 + 5);

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

    /** With every setting at its default. */
    @LongTest(
            twin = LostLeaderIT.class,
            test = "aFrozenLeaderIsReplacedAndWhatItWritesAfterwardsIsRefused",
            why = "a killed leader is replaced within six seconds, with the settings that a user gets")
    @Test
    void aKilledLeaderIsReplacedWithinSixSeconds() {
        LeaderProcess leader = node("a", Map.of()).awaitLeads(SOON);
        LeaderProcess other = node("b", Map.of());
        assertThat(other.leads()).isFalse();

        leader.process().kill9();
        long killed = System.nanoTime();

        other.awaitLeads(SOON);
        Measured.within(PROMISED, Duration.ofNanos(System.nanoTime() - killed), "the replacement of a killed leader");
        assertThat(other.who()).startsWith("LEADS 2 on ");
    }

    /** With every setting at its default. Nothing ends its session, so what is left of its lease has to pass: 10 to 15 s. */
    @LongTest(
            twin = LostLeaderIT.class,
            test = "aFrozenLeaderIsReplacedAndWhatItWritesAfterwardsIsRefused",
            why = "a frozen leader is replaced within lease and check_interval, with the settings that a user gets")
    @Test
    void aFrozenLeaderIsReplacedWithinTwentySeconds() {
        LeaderProcess leader = node("a", Map.of()).awaitLeads(SOON);
        LeaderProcess other = node("b", Map.of());
        assertThat(other.leads()).isFalse();

        leader.process().stop();
        long frozen = System.nanoTime();

        other.awaitLeads(SOON);
        Measured.within(
                LEASE_AND_CHECK, Duration.ofNanos(System.nanoTime() - frozen), "the replacement of a frozen leader");
        leader.process().cont();
    }

    /** Both in the long run; LeadershipIT shows for both what a leader may do. */
    static List<String> strategies() {
        return Sizes.full() ? List.of("advisory", "lease") : List.of("advisory");
    }

    /** It stands still inside a fenced transaction, which the server ends when the lease would have ended: that takes its time. */
    @ParameterizedTest
    @MethodSource("strategies")
    void aFrozenLeaderIsReplacedAndWhatItWritesAfterwardsIsRefused(String strategy) {
        Map<String, String> settings = Map.of(
                "leader.strategy", strategy,
                "leader.check_interval", "300ms",
                "leader.renew", "1s",
                "leader.lease", "10s");
        LeaderProcess leader = node("a", settings).awaitLeads(SOON);
        assertThat(leader.write()).isEqualTo("WROTE write");
        try (Muster other = Muster.builder()
                .config(MusterConfig.defaults()
                        .with(settings)
                        .with(Map.of("node.id", "b", "database.url", database.url())))
                .build()) {
            other.start();
            Leadership leadership = other.leadership(LeaderRole.SCHEDULER);
            assertThat(leadership.isLeader()).isFalse();
            leader.hold();

            leader.process().stop();
            new LostLeases(database).end("a");
            await("another leader").atMost(SOON).until(leadership::isLeader);
            leader.process().cont();

            assertThat(leader.go()).startsWith("REFUSED hold");
            assertThat(leader.write()).startsWith("REFUSED write StaleLeader");
            await("that the new one writes")
                    .atMost(SOON)
                    .ignoreExceptionsInstanceOf(StaleLeader.class)
                    .until(() -> leadership.fenced(LostLeaderIT::write));
        }
        assertThat(database.column("SELECT node || ' ' || what FROM written ORDER BY node"))
                .containsExactly("a write", "b write");
    }

    private static boolean write(Connection tx) throws SQLException {
        try (Statement statement = tx.createStatement()) {
            return statement.executeUpdate("INSERT INTO public.written VALUES ('b', 'write')") == 1;
        }
    }
}
