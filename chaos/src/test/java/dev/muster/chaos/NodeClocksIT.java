package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Nodes whose clocks are ten minutes off, each way: {@code -Dmuster.chaos.libfaketime=/usr/lib/…/libfaketimeMT.so.1}. Not
 * part of every build, because a JVM under that library is slow and may not come up at all; that core and postgres never
 * look at a wall clock but to make ids is checked in {@code ArchitectureTest}, and ids from wrong clocks in {@code
 * MembershipIT}.
 */
@EnabledIfSystemProperty(named = "muster.chaos.libfaketime", matches = ".+")
class NodeClocksIT extends ChaosTest {
    private static final Map<String, String> WATCHFUL = Map.of(
            "cluster.heartbeat_interval", "300ms",
            "cluster.max_heartbeat_interval", "600ms",
            "cluster.stale_threshold", "1s",
            "cluster.dead_threshold", "2s");

    @Test
    void changeNothing() {
        Path library = Path.of(System.getProperty("muster.chaos.libfaketime"));
        NodeProcess early = launch("early", WATCHFUL, clock(library, "-10m"));
        NodeProcess late = launch("late", WATCHFUL, clock(library, "+10m"));
        NodeProcess right = launch("right", WATCHFUL);
        List.of(early, late, right).forEach(NodeProcess::awaitReady);
        String lives = "SELECT id || incarnation || status FROM muster_nodes ORDER BY id";
        await().atMost(SOON).until(() -> database.column(lives).stream().allMatch(row -> row.endsWith("active")));
        List<String> before = database.column(lives);

        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            ids.add(jobs().enqueue(JobRequest.of("sleep", new Sleep(i % 5 == 0 ? 2_500 : 100))));
            ids.add(jobs().enqueue(JobRequest.of("my_task", new MyTask("later")).delay(Duration.ofSeconds(2))));
        }

        for (JobId id : ids) {
            JobInfo job = ended(id);
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isZero();
        }
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE started_at < run_at"))
                .isZero();
        assertThat(database.number(
                        "SELECT count(*) FROM muster_job_history WHERE started_at > run_at + interval '60 s'"))
                .isZero();
        assertThat(database.column("SELECT DISTINCT node_id FROM muster_job_history ORDER BY 1"))
                .containsExactly("early", "late", "right");
        assertThat(database.column(lives)).as("nobody was declared dead").isEqualTo(before);
    }

    private static Map<String, String> clock(Path library, String offset) {
        return Map.of(
                "LD_PRELOAD",
                library.toString(),
                "FAKETIME",
                offset,
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1",
                "FAKETIME_DISABLE_SHM",
                "1");
    }
}
