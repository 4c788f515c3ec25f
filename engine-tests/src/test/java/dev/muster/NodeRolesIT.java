package dev.muster;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.leader.LeaderRole;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The ways in which roles are spread over the nodes of a cluster. All run the same program. */
class NodeRolesIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration SEVERAL_ELECTIONS = Duration.ofMillis(2_500);

    static final class Program {
        @Job("hello")
        public String hello() {
            return "hello";
        }
    }

    private Muster node(String id, String key, String value) {
        return node(settings(id, key, value), new Program());
    }

    private static Map<String, String> settings(String id, String key, String value) {
        Map<String, String> settings = new HashMap<>();
        settings.put("node.id", id);
        settings.put(key, value);
        return settings;
    }

    private static boolean leadsAnything(Muster node) {
        return Arrays.stream(LeaderRole.values())
                .anyMatch(role -> node.leadership(role).isLeader());
    }

    @Test
    void aGatewayWithFunctionsClaimsNoJobs() throws Exception {
        Muster front = node("front", "node.roles", "gateway, function");
        JobId id = front.jobs().enqueue("hello", null);
        nothingHappensFor(SEVERAL_ELECTIONS, () -> {
            assertThat(front.jobs().find(id).orElseThrow().status()).isEqualTo(JobStatus.PENDING);
            assertThat(leadsAnything(front)).isFalse();
        });

        node("back", "node.mode", "worker");
        JobInfo job = ended(front, id);
        assertThat(job.node()).isEqualTo(Optional.of("back"));
    }

    @Test
    void aWorkerNeverLeadsAndOpensNoPort() throws Exception {
        Muster worker = node("worker", "node.mode", "worker");
        nothingHappensFor(SEVERAL_ELECTIONS, () -> {
            assertThat(leadsAnything(worker)).isFalse();
            assertThat(worker.ports()).isEmpty();
            assertThat(worker.leaders()).noneMatch(leader -> leader.isHeld());
        });
        assertThat(ended(worker, worker.jobs().enqueue("hello", null)).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void aSchedulerRunsNoJobsAndItsBackupTakesOver() throws Exception {
        Muster first = node("first", "node.roles", "scheduler");
        await().atMost(SOON).until(() -> first.leadership(LeaderRole.SCHEDULER).isLeader());
        Muster backup = node("backup", "node.roles", "scheduler");
        JobId id = first.jobs().enqueue("hello", null);
        nothingHappensFor(SEVERAL_ELECTIONS, () -> {
            assertThat(first.jobs().find(id).orElseThrow().status()).isEqualTo(JobStatus.PENDING);
            assertThat(leadsAnything(backup)).isFalse();
        });
        long term = first.leadership(LeaderRole.SCHEDULER).term();

        first.close();

        await().atMost(SOON).until(() -> backup.leadership(LeaderRole.SCHEDULER).isLeader());
        assertThat(backup.leadership(LeaderRole.SCHEDULER).term()).isGreaterThan(term);
        node("worker", "node.mode", "worker");
        assertThat(ended(backup, id).node()).isEqualTo(Optional.of("worker"));
    }

    @Test
    void anObserverNeitherRunsJobsNorLeadsNorWrites() throws Exception {
        Muster worker = node("worker", "node.mode", "worker");
        ended(worker, worker.jobs().enqueue("hello", null));
        worker.close();
        Muster observer = node("observer", "node.mode", "observer");
        nothingHappensFor(
                SEVERAL_ELECTIONS, () -> assertThat(leadsAnything(observer)).isFalse());

        assertThat(observer.nodes()).extracting(node -> node.id()).contains("observer");
        assertThatThrownBy(() -> observer.jobs().enqueue("hello", null)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.queues().pause("default")).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.crons().pause("any")).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.locks().tryAcquire("any", Duration.ofSeconds(1)))
                .hasMessageContaining("observer");
    }

    @Test
    void aLeaderFailsToStartWhileAnotherLeads() {
        Muster first = node("first", "node.mode", "leader");
        assertThat(first.leadership(LeaderRole.SCHEDULER).isLeader()).isTrue();

        Muster second = builder(settings("second", "node.mode", "leader"), new Program())
                .build();
        assertThatThrownBy(second::start)
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("could not become the leader")
                .hasMessageContaining("first");

        assertThat(first.nodes()).extracting(node -> node.id()).containsExactly("first");
        assertThat(first.leadership(LeaderRole.SCHEDULER).isLeader()).isTrue();
    }

    @Test
    void whatCannotBeBuiltLeavesNoPoolBehind() {
        Muster.Builder builder = Muster.builder()
                .config(MusterConfig.defaults())
                .database(database.url())
                .register(new Program())
                .register(new Program());

        Set<Thread> before = Thread.getAllStackTraces().keySet();

        assertThatThrownBy(builder::build).hasMessageContaining("two handlers are registered for job 'hello'");

        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("muster:") && !before.contains(thread)));
    }
}
