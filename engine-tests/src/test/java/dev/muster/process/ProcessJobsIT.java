package dev.muster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.HandlerScanner;
import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.LogLine;
import dev.muster.job.RawJson;
import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.worker.JobMethods;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs in child processes of a real node. */
class ProcessJobsIT extends EngineIT {
    private final ChildProcesses children = new ChildProcesses(new Jackson3Codec());

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        children.close();
    }

    private JobHandler command(String name, String script) {
        return children.commandHandlers(List.of("sh", "-c", script), List.of(name), OptionalLong.empty())
                .get(0);
    }

    /** Writes the number of its process to a file and then takes for ever. */
    private JobHandler endless(String name) {
        return command(name, "echo $$ > " + pidFile() + ".new; mv " + pidFile() + ".new " + pidFile() + "; sleep 1000");
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
        Muster node = node(command(
                "copy", "echo '{\"progress\": 0.4, \"message\": \"half\"}' >&3; echo '{\"log\": \"hello\"}' >&3; cat"));
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
        Muster node = node(command("fail", "echo no disk >&2; exit 3"));
        JobInfo job = ended(node, node.jobs().enqueue(JobRequest.of("fail").maxAttempts(1)));
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error())
                .hasValue("the command 'sh' ended with exit code 3; the end of its standard error:\nno disk");
    }

    @Test
    void aTimeoutKillsTheCommand() throws Exception {
        Muster node = node(endless("endless"));
        JobId id = node.jobs().enqueue(JobRequest.of("endless").maxAttempts(1).timeout(Duration.ofSeconds(1)));
        ProcessHandle process = started();
        JobInfo job = ended(node, id);
        assertThat(job.error().orElseThrow()).contains("timed out");
        assertThat(process.isAlive()).isFalse();
        assertThat(node.health().ok()).isTrue();
    }

    @Test
    void aCancellationKillsTheCommand() throws Exception {
        Muster node = node(endless("endless"));
        JobId id = node.jobs().enqueue("endless", null);
        ProcessHandle process = started();
        node.jobs().cancel(id);
        assertThat(ended(node, id).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(process.isAlive()).isFalse();
    }

    @Test
    void aDrainKillsTheCommandAndItsJobRunsAgain() throws Exception {
        Muster node = node(Map.of("worker.drain_timeout", "500ms"), endless("endless"));
        JobId id = node.jobs().enqueue("endless", null);
        ProcessHandle process = started();
        node.close();
        assertThat(process.isAlive()).isFalse();
        Muster next = node(command("endless", "printf done"));
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

    @Test
    void aHandlerRunsInAJvmOfItsOwn() throws Exception {
        Muster node = node(
                children.ownJvmHandlers(HandlerScanner.scan(new Handlers()).of(JobMethods.JOBS), OptionalLong.empty())
                        .toArray());
        assertThat(ended(node, node.jobs().enqueue("greet", new Handlers.Name("Ada")))
                        .result())
                .hasValue("{\"first_name\": \"hello Ada, 1\"}");
        JobInfo exited = ended(node, node.jobs().enqueue("exit", null));
        assertThat(exited.result()).hasValue("\"second attempt\"");
        assertThat(exited.earlierError().orElseThrow()).startsWith("its process ended with exit code 7");
    }
}
