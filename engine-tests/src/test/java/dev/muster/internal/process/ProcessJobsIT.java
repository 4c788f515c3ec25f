package dev.muster.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.LogLine;
import dev.muster.job.RawJson;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs in child processes of a real node. */
class ProcessJobsIT extends EngineIT {
    @TempDir
    Path folder;

    /** A node with an executor that runs this script for jobs of this name. */
    private Muster nodeWithCommand(String name, String script) throws IOException {
        return nodeWithCommand(name, script, Map.of());
    }

    private Muster nodeWithCommand(String name, String script, Map<String, String> more) throws IOException {
        Path file = Files.writeString(folder.resolve(name + UUID.randomUUID() + ".sh"), script);
        Map<String, String> settings = new HashMap<>(more);
        settings.put("executors.scripts.kind", "process");
        settings.put("executors.scripts.size", "2");
        settings.put("executors.scripts.command", "sh " + file);
        settings.put("executors.scripts.jobs", name);
        return node(settings);
    }

    /** Writes the number of its process to a file and then takes forever. */
    private String endless() {
        return "echo $$ > %1$s.new; mv %1$s.new %1$s; sleep 1000".formatted(pidFile());
    }

    private Path pidFile() {
        return folder.resolve("pid");
    }

    private ProcessHandle started() throws IOException {
        await().until(() -> Files.exists(pidFile()));
        return ProcessHandle.of(Long.parseLong(Files.readString(pidFile()).strip()))
                .orElseThrow();
    }

    @Test
    void aCommandGetsArgsAndGivesAResultWithProgressAndLogLines() throws Exception {
        Muster node = nodeWithCommand(
                "copy", "echo '{\"progress\": 0.4, \"message\": \"half\"}' >&3; echo '{\"log\": \"hello\"}' >&3; cat");
        JobId id = node.jobs().enqueue(JobRequest.of("copy", new RawJson("{\"a\": [1, 2.50]}")));
        JobInfo job = ended(node, id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.result()).hasValue("{\"a\": [1, 2.50]}");
        assertThat(job.progress().orElseThrow().percent()).isEqualTo(40);
        await().untilAsserted(() -> assertThat(node.jobs().logs(id, 0, 10))
                .extracting(LogLine::message)
                .containsExactly("hello"));
    }

    @Test
    void anExitCodeFailsTheAttempt() throws Exception {
        Muster node = nodeWithCommand("fail", "echo no disk >&2; exit 3");
        JobInfo job = ended(node, node.jobs().enqueue(JobRequest.of("fail").maxAttempts(1)));
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error())
                .hasValue("the command 'sh' ended with exit code 3; the end of its standard error:\nno disk");
    }

    @Test
    void aTimeoutKillsTheCommand() throws Exception {
        Muster node = nodeWithCommand("endless", endless());
        // On a busy machine a second may be over before the command has begun.
        for (Duration time = Duration.ofSeconds(1); Files.notExists(pidFile()); time = time.multipliedBy(2)) {
            JobInfo job = ended(
                    node,
                    node.jobs().enqueue(JobRequest.of("endless").maxAttempts(1).timeout(time)));
            assertThat(job.error().orElseThrow()).contains("timed out");
        }
        long pid = Long.parseLong(Files.readString(pidFile()).strip());
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(node.health().ok()).isTrue();
    }

    @Test
    void aCancellationKillsTheCommand() throws Exception {
        Muster node = nodeWithCommand("endless", endless());
        JobId id = node.jobs().enqueue("endless", null);
        ProcessHandle process = started();
        node.jobs().cancel(id);
        assertThat(ended(node, id).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(process.isAlive()).isFalse();
    }

    @Test
    void aDrainKillsTheCommandAndItsJobRunsAgain() throws Exception {
        Muster node = nodeWithCommand("endless", endless(), Map.of("worker.drain_timeout", "500ms"));
        JobId id = node.jobs().enqueue("endless", null);
        ProcessHandle process = started();
        node.close();
        assertThat(process.isAlive()).isFalse();
        Muster next = nodeWithCommand("endless", "printf done");
        JobInfo job = ended(next, id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(1);
    }

    /** Handlers for a JVM of their own. */
    public static final class Handlers {
        public record Name(String firstName) {}

        @Job("greet")
        public Name greet(JobContext context, Name name) {
            return new Name("hello " + name.firstName() + ", " + context.attempt());
        }

        @Job(value = "exit", maxAttempts = 2, backoff = @Backoff(delay = "10ms"))
        public String exit(JobContext context) {
            if (context.attempt() == 1) {
                System.exit(7);
            }
            return "second attempt";
        }
    }

    /** Nobody else can create objects of this class. */
    private static final class Hidden {
        @Job("hidden")
        void run() {}
    }

    @Test
    void aNodeDoesNotStartWithAHandlerThatAChildCannotBuild() {
        Map<String, String> settings = Map.of("executors.jvms.kind", "process", "routing.rules", "**=jvms");
        assertThatThrownBy(() -> node(settings, new Hidden()))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("job 'hidden' cannot run in an executor of kind process")
                .hasMessageContaining("is not public");
    }

    @Test
    void aHandlerRunsInAJvmOfItsOwn() throws Exception {
        Muster node = node(Map.of("executors.jvms.kind", "process", "routing.rules", "**=jvms"), new Handlers());
        assertThat(ended(node, node.jobs().enqueue("greet", new Handlers.Name("Ada")))
                        .result())
                .hasValue("{\"first_name\": \"hello Ada, 1\"}");
        JobInfo exited = ended(node, node.jobs().enqueue("exit", null));
        assertThat(exited.result()).hasValue("\"second attempt\"");
        assertThat(exited.earlierError().orElseThrow()).startsWith("its process ended with exit code 7");
    }
}
