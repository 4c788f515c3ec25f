package dev.muster.postgres.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.LeaderConfig;
import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.contracts.internal.Nodes;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.internal.cluster.NodeStore.OverdueWork;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.cluster.NodeStore.Routes;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.internal.leader.LeaderStore.Candidate;
import dev.muster.internal.leader.LeaderStore.RoleRow;
import dev.muster.internal.provider.Store;
import dev.muster.leader.LeaderRole;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a leader asks every few seconds, asked by three threads at once. */
class LeaderPollIT extends StoreOnFreshDatabase {
    private static final SilenceLimits PATIENCE =
            new SilenceLimits(Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(7));
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final UUID incarnation = UUID.randomUUID();
    private NodeStore nodes;
    private LeaderStore leaders;

    @BeforeEach
    void prepare() {
        store.connect(Store.Events.ignored());
        nodes = store.nodes();
        leaders = store.leaders();
        nodes.join(
                new Registration(
                        "a",
                        incarnation,
                        null,
                        EnumSet.allOf(NodeRole.class),
                        null,
                        null,
                        Set.of(),
                        Map.of(),
                        List.of(),
                        INTERVAL,
                        Duration.ofSeconds(30),
                        true,
                        SilenceLimits.of(MusterConfig.defaults().cluster()),
                        "test",
                        "1.2.3",
                        Routes.NONE,
                        List.of()),
                NodeStatus.ACTIVE,
                null,
                null);
    }

    private Candidate lead(Strategy strategy, LeaderRole... roles) {
        LeaderConfig config = new LeaderConfig(strategy, INTERVAL, Duration.ofSeconds(15), INTERVAL);
        Candidate self = new Candidate("a", incarnation, Set.of(roles), config);
        leaders.check(self);
        for (LeaderRole role : roles) {
            assertThat(leaders.takeOver(self, role)).isPresent();
        }
        return self;
    }

    private record Answers(
            CompletableFuture<HeartbeatAnswer> pulse,
            CompletableFuture<List<RoleRow>> roleRows,
            CompletableFuture<OverdueWork> overdueWork) {

        void await() {
            CompletableFuture.allOf(pulse, roleRows, overdueWork)
                    .handle((done, failed) -> null)
                    .join();
        }
    }

    private Answers ask(Candidate self) {
        Answers answers = new Answers(
                CompletableFuture.supplyAsync(() -> nodes.heartbeat(
                        "a",
                        incarnation,
                        new NodeLoad(1, 2, 0.5, 4, List.of()),
                        INTERVAL,
                        Nodes.unbroken(Duration.ofDays(1)))),
                CompletableFuture.supplyAsync(() -> leaders.check(self)),
                CompletableFuture.supplyAsync(() -> nodes.overdueWork("a", PATIENCE)));
        answers.await();
        return answers;
    }

    private boolean wereOneStatement() {
        return database.number("SELECT count(*) FROM muster_nodes n JOIN muster_leaders l ON l.node_id = n.id"
                        + " WHERE l.xmin = n.xmin")
                > 0;
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void theThreeAreOneStatementAndMeanTheSame(Strategy strategy) {
        Candidate self = lead(strategy, LeaderRole.SCHEDULER);
        store.recovery().searchOverdue();
        database.execute(
                "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue,"
                        + " args, expires_at) SELECT gen_random_uuid(), t, t, t, 50, 50, 'pending', 'a', 'q', '{}', t"
                        + " FROM (SELECT clock_timestamp() AS t) now");

        await().untilAsserted(() -> {
            Answers answers = ask(self);

            assertThat(wereOneStatement()).isTrue();
            assertThat(answers.pulse().join().rowState()).isEqualTo(HeartbeatAnswer.RowState.OWN);
            assertThat(answers.pulse().join().status()).isEqualTo(NodeStatus.ACTIVE);
            assertThat(answers.roleRows().join())
                    .hasSize(LeaderRole.values().length)
                    .allSatisfy(
                            standing -> assertThat(standing.mine()).isEqualTo(standing.role() == LeaderRole.SCHEDULER));
            assertThat(answers.overdueWork().join().isDue(Duty.EXPIRE_JOBS)).isTrue();
            assertThat(answers.overdueWork().join().isDue(Duty.RECOVER_LEASES)).isFalse();
        });
        assertThat(nodes.list())
                .singleElement()
                .satisfies(node -> assertThat(node.currentJobs()).isEqualTo(2));
    }

    @Test
    void aHeartbeatThatCannotBeWrittenCostsNobodyTheLead() throws Exception {
        Candidate self = lead(Strategy.ADVISORY, LeaderRole.values());
        await().untilAsserted(() -> {
            ask(self);
            assertThat(wereOneStatement()).isTrue();
        });
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT FROM muster_nodes FOR UPDATE");

            Answers answers = ask(self);

            assertThat(answers.pulse()).isCompletedExceptionally();
            assertThat(answers.roleRows().join()).allMatch(RoleRow::mine);
            assertThat(answers.overdueWork()).isCompleted();
            other.rollback();
        }
        assertThat(ask(self).pulse().join().rowState()).isEqualTo(HeartbeatAnswer.RowState.OWN);
    }
}
