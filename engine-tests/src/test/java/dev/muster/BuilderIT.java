package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.config.ConfigException;
import dev.muster.config.MusterConfig;
import dev.muster.engine.EngineIT;
import dev.muster.job.InvalidJob;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.lock.HeldLock;
import dev.muster.lock.Locks;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program hands to the builder, and gets from it before there is a node. */
class BuilderIT extends EngineIT {

    /** Handlers that use the node they run on. */
    static final class Relay {
        private final Jobs jobs;
        private final Locks locks;

        Relay(Jobs jobs, Locks locks) {
            this.jobs = jobs;
            this.locks = locks;
        }

        @Job("relay")
        String relay() {
            try (HeldLock lock =
                    locks.tryAcquire("relay", Duration.ofSeconds(30)).orElseThrow()) {
                return jobs.enqueue("target", lock.name()).toString();
            }
        }

        @Job("target")
        String target(String text) {
            return text;
        }
    }

    @Test
    void handlersGetTheJobsAndLocksOfTheNodeThatIsBeingBuilt() throws Exception {
        MusterBuilder builder = builder(Map.of());
        Jobs jobs = builder.jobs();
        Locks locks = builder.locks();
        Leadership leadership = builder.leadership(LeaderRole.SCHEDULER);
        builder.register(new Relay(jobs, locks));
        assertThat(jobs).isEqualTo(jobs).isNotEqualTo(locks).hasToString("the jobs() of a Muster");
        assertThatThrownBy(() -> jobs.enqueue("target", "early"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("was called before this Muster was built")
                .hasMessageContaining("once build() has returned");

        try (Muster muster = builder.build()) {
            muster.migrate();
            assertThatThrownBy(builder::build)
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("build() was called a second time");
            assertThat(locks.tryAcquire("built", Duration.ofSeconds(1))).isPresent();
            assertThat(leadership.isLeader()).isFalse();
            assertThatThrownBy(() -> leadership.fenced(tx -> 1)).isInstanceOf(StaleLeader.class);
            JobId early = jobs.enqueue("target", "early");
            assertThatThrownBy(() -> jobs.enqueue(JobRequest.of("typo"))).isInstanceOf(InvalidJob.class);

            muster.start();
            assertThat(ended(muster, early).result()).contains("\"early\"");
            String relayed = ended(muster, jobs.enqueue("relay", null)).result().orElseThrow();
            assertThat(ended(muster, JobId.of(relayed.replace("\"", ""))).result())
                    .contains("\"relay\"");
        }
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "a\nb", " a", "LONG"})
    void anIdThatCannotBeANodesIsRefused(String id) {
        String given = "LONG".equals(id) ? "n".repeat(201) : id;
        Supplier<Muster> build = () -> Muster.builder()
                .dataSource(database.dataSource())
                .nodeIdentity(() -> given)
                .build();
        assertThatThrownBy(build::get)
                .isInstanceOf(InvalidName.class)
                .hasMessageContaining("NodeIdentityProvider " + getClass().getName())
                .hasMessageContaining("must be one line of 1 to 200 characters");
    }

    @Test
    void theSettingFollowsTheSameRule() {
        assertThat(MusterConfig.defaults().with("node.id", " n ").node().id()).contains("n");
        assertThatThrownBy(() -> MusterConfig.defaults().with("node.id", "n".repeat(201)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("node.id")
                .hasMessageContaining("200 characters");
    }

    @Test
    void aVersionIsShownWithTheNodeAndOneThatCannotBeShownIsRefused() {
        Muster node = start(builder(Map.of()).version("2.4.1"));
        assertThat(node.nodes())
                .singleElement()
                .satisfies(info -> assertThat(info.version()).contains("2.4.1"));
        for (String bad : List.of("", " ", "a\nb", "\0", "x".repeat(101))) {
            assertThatThrownBy(() -> Muster.builder().version(bad))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("1 to 100 printable characters");
        }
    }

    @Test
    void aNodeWithAStableIdTakesOverItsOwnRowWhenItStartsAgain() throws Exception {
        NodeIdentityProvider pod = () -> "pod-3";
        Muster first = start(stable(pod));
        UUID before = first.nodes().get(0).incarnation();

        // The process was killed: it did not leave, and its row is still there.
        Muster second = start(stable(pod));

        assertThat(second.nodeId()).isEqualTo("pod-3");
        assertThat(second.nodes()).singleElement().satisfies(row -> {
            assertThat(row.id()).isEqualTo("pod-3");
            assertThat(row.incarnation()).isNotEqualTo(before);
        });
        JobInfo job = ended(second, second.jobs().enqueue("target", "hello"));
        assertThat(job.node()).contains("pod-3");
        await().untilAsserted(() -> assertThat(first.health().detail()).contains("another process runs as node pod-3"));
    }

    private MusterBuilder stable(NodeIdentityProvider identity) {
        MusterConfig config = MusterConfig.defaults().with(STEADY).with("cluster.heartbeat_interval", "200ms");
        return Muster.builder()
                .dataSource(database.dataSource())
                .config(config)
                .nodeIdentity(identity)
                .register(new Relay(null, null));
    }
}
