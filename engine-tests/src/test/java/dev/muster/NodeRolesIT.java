package dev.muster;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
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
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The ways in which roles are spread over the nodes of a cluster. All run the same program. */
class NodeRolesIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration SEVERAL_ELECTIONS = Duration.ofMillis(1_000);

    /** A node without the role looks for a leader this often. */
    private static final String ELECTION = "200ms";

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
        settings.put("leader.check_interval", ELECTION);
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
    void aLeaderFailsToStartWhileAnotherLeads() {
        Muster first = node("first", "node.mode", "leader");
        assertThat(first.leadership(LeaderRole.SCHEDULER).isLeader()).isTrue();

        // How long it tries.
        Muster second = builder(settings("second", "node.mode", "leader"), new Program())
                .set("leader.lease", "2s")
                .set("leader.renew", "1s")
                .build();
        assertThatThrownBy(second::start)
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("could not become the leader")
                .hasMessageContaining("first");

        assertThat(first.nodes()).extracting(node -> node.id()).containsExactly("first");
        assertThat(first.leadership(LeaderRole.SCHEDULER).isLeader()).isTrue();
    }

    @Test
    void whatCannotBeBuiltLeavesNoPoolBehind() throws InterruptedException {
        MusterBuilder builder = Muster.builder()
                .config(MusterConfig.defaults())
                .database(database.url())
                .register(new Program())
                .register(new Program());

        // Threads that are started there belong to it. Other tests have pools of the same name.
        ThreadGroup own = new ThreadGroup("refused");
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        Thread building = new Thread(own, () -> refusal.set(catchThrowable(builder::build)));
        building.start();
        building.join();

        String method = "a method of " + Program.class.getName();
        assertThat(refusal.get())
                .hasMessageContaining("two handlers are registered for job 'hello', " + method + " and " + method);
        await().untilAsserted(() ->
                assertThat(Thread.getAllStackTraces().keySet()).noneMatch(thread -> thread.getThreadGroup() == own));
    }
}
