package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.cluster.NodeStore.Routes;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.daemon.DaemonStore;
import dev.muster.internal.daemon.DaemonStore.Claim;
import dev.muster.internal.daemon.DaemonStore.Holder;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Everything that asks who is alive goes by the thresholds that the nodes are configured with. */
class LivenessIT extends StoreOnFreshDatabase {
    private static final Duration LEASE = Duration.ofSeconds(30);

    @BeforeEach
    void prepare() {
        store.connect(new Store.Events() {
            @Override
            public void nodesChanged() {}

            @Override
            public void reconnected() {}
        });
    }

    private Holder join(String stale, String dead) {
        return join("me", EnumSet.allOf(NodeRole.class), stale, dead);
    }

    private Holder join(String id, Set<NodeRole> roles, String stale, String dead) {
        MusterConfig config = MusterConfig.defaults()
                .with(Map.of(
                        "cluster.heartbeat_interval", "2s",
                        "cluster.stale_threshold", stale,
                        "cluster.dead_threshold", dead));
        Holder me = new Holder(id, UUID.randomUUID());
        Registration registration = new Registration(
                me.node(),
                me.incarnation(),
                null,
                roles,
                null,
                null,
                Set.of(),
                Map.of(),
                List.of(),
                Duration.ofSeconds(2),
                LEASE,
                true,
                SilenceLimits.of(config.cluster()),
                "test",
                "1.2.3",
                Routes.NONE,
                List.of());
        assertThat(store.nodes().join(registration, NodeStatus.ACTIVE, null, null))
                .isPresent();
        return me;
    }

    /** A node that can run jobs "a" and both daemons, holds nothing, and was last heard of that long ago. */
    private void silentFor(int seconds) {
        database.execute(
                "INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval, started_at,"
                        + " handlers, daemons) VALUES ('silent', gen_random_uuid(), 'active', clock_timestamp() - interval '"
                        + seconds + " s', interval '2 s', clock_timestamp() - interval '1 h',"
                        + " '{\"a\": {\"queue\": \"default\", \"capability\": \"\", \"priority\": 50, \"max_attempts\": 3, \"max_crashes\": 5}}',"
                        + " '{first,second}')");
    }

    private JobId lateJob() {
        JobId job = store.jobs().enqueue(List.of(JobDraft.plain("a"))).get(0);
        database.execute("UPDATE muster_jobs SET ready_at = clock_timestamp() - interval '2 min'");
        return job;
    }

    @Test
    void aNodeIsAliveForEverybodyWhileItsSilenceIsWithinTheDeadThreshold() {
        Holder me = join("30s", "40s");
        silentFor(20);
        JobId job = lateJob();

        assertThat(store.nodes().list())
                .filteredOn(node -> node.id().equals("silent"))
                .allMatch(NodeInfo::isAlive);
        assertThat(store.nodes().published(null)).containsOnlyKeys("a");
        assertThat(store.jobReader().find(job).orElseThrow().waitingReason().orElseThrow())
                .contains("1 live node can run it");
        assertThat(database.column("SELECT status FROM muster_cluster WHERE id = 'silent'"))
                .containsExactly("active");
        assertThat(database.column("SELECT reason FROM muster_stuck"))
                .containsExactly("it has been due for over a minute");
        assertThat(daemonsThatOneNodeTakes(me))
                .as("the second is left to the node that has none")
                .isEqualTo(1);
    }

    @Test
    void aNodeIsDeadForEverybodyOnceItsSilenceHasReachedTheDeadThreshold() {
        Holder me = join("3s", "6s");
        silentFor(10);
        JobId job = lateJob();

        assertThat(store.nodes().list())
                .filteredOn(node -> node.id().equals("silent"))
                .extracting(NodeInfo::status, NodeInfo::apparentStatus)
                .containsExactly(tuple(NodeStatus.ACTIVE, NodeStatus.DEAD));
        assertThat(store.nodes().published(null)).isEmpty();
        assertThat(store.jobReader().find(job).orElseThrow().waitingReason().orElseThrow())
                .contains("no live node has a handler");
        assertThat(database.column("SELECT status FROM muster_cluster WHERE id = 'silent'"))
                .containsExactly("dead");
        assertThat(database.column("SELECT reason FROM muster_stuck"))
                .containsExactly("no live node has a handler for it");
        assertThat(daemonsThatOneNodeTakes(me)).isEqualTo(2);
    }

    @Test
    void aNodeThatOnlyReadsLeavesTheThresholdsAlone() {
        join("30s", "40s");

        join("observer", EnumSet.of(NodeRole.GATEWAY), "10s", "15s");

        assertThat(database.column("SELECT dead_threshold FROM muster_settings"))
                .containsExactly("00:00:40");
    }

    @Test
    void withoutTheRowOfSettingsTheDefaultsCountUntilANodeJoins() {
        join("30s", "40s");
        database.execute("DELETE FROM muster_settings");
        silentFor(12);

        assertThat(database.column("SELECT id FROM muster_cluster WHERE status <> 'dead' ORDER BY id"))
                .containsExactly("me", "silent");
        join("30s", "40s");
        assertThat(database.column("SELECT dead_threshold FROM muster_settings"))
                .containsExactly("00:00:40");
    }

    /** Of two that are free. A node may have back what it holds, so it asks for the rest each time. */
    private int daemonsThatOneNodeTakes(Holder me) {
        List<String> wanted = new ArrayList<>(List.of("first", "second"));
        store.port(DaemonStore.class).declare(me, wanted, List.of());
        Optional<Claim> claim;
        do {
            claim = store.port(DaemonStore.class).claim(me, wanted, LEASE, Duration.ofMinutes(1));
            claim.ifPresent(taken -> wanted.remove(taken.ref().name()));
        } while (claim.isPresent());
        return 2 - wanted.size();
    }

    @Test
    void aDaemonGoesToANodeThatIsAliveByTheThresholds() {
        Holder me = join("3s", "6s");
        List<String> names = List.of("first", "second");
        assertThat(daemonsThatOneNodeTakes(me)).isEqualTo(2);
        silentFor(10);
        assertThat(store.port(DaemonStore.class).survey(me, names, names).surplus())
                .isNull();

        join("30s", "40s");
        assertThat(store.port(DaemonStore.class).survey(me, names, names).surplus())
                .isNotNull();
    }

    @Test
    void theNodeThatJoinsLastSetsTheThresholdsAndWritesNothingWhereTheyAreTheSame() {
        join("30s", "40s");
        assertThat(thresholds()).isEqualTo("00:00:30 00:00:40");
        String version = database.column("SELECT ctid || ' ' || xmin FROM muster_settings")
                .get(0);
        join("30s", "40s");
        assertThat(database.column("SELECT ctid || ' ' || xmin FROM muster_settings"))
                .containsExactly(version);
        join("3s", "6s");
        assertThat(thresholds()).isEqualTo("00:00:03 00:00:06");
    }

    private String thresholds() {
        return database.column("SELECT stale_threshold || ' ' || dead_threshold FROM muster_settings")
                .get(0);
    }
}
