package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is told to stop together with the child process in which its job runs. */
class StoppedChildrenIT extends ChaosIT {
    @TempDir
    Path folder;

    /** On node a it never ends; on any other node it ends at once. */
    private Map<String, String> settings() throws IOException {
        Path script = Files.writeString(folder.resolve("job.sh"), """
                if [ "$MUSTER_NODE_ID" != a ]; then printf '"done by %%s"' "$MUSTER_NODE_ID"; exit; fi
                echo $$ > %1$s/child
                sleep 1000
                """.formatted(folder));
        return Map.of(
                "executors.scripts.kind", "process",
                "executors.scripts.command", "sh " + script,
                "executors.scripts.jobs", "script");
    }

    private ProcessHandle process(String file) {
        Path path = folder.resolve(file);
        String pid = await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> Files.readString(path).strip(), text -> !text.isEmpty());
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    /** A terminal sends Ctrl-C to the node and to its children, and some supervisors send their signal to all of them. */
    @Test
    void aChildThatIsStoppedTogetherWithItsNodeCostsTheJobNoAttempt() throws Exception {
        JobId id = jobs().enqueue(JobRequest.of("script"));
        NodeProcess node = node("a", settings());
        ProcessHandle child = process("child");
        awaitStatus(id, JobStatus.RUNNING);

        new ProcessBuilder("kill", "-TERM", Long.toString(child.pid())).start().waitFor();
        node.terminate();

        node.exitCode(SOON);
        startHere("b", settings());
        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.crashes()).isZero();
    }
}
