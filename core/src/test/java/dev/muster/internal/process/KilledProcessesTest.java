package dev.muster.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.attempt.OpenArgs;
import dev.muster.job.JobHandler;
import dev.muster.job.RawJson;
import dev.muster.testing.Measured;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No process that a job has started outlives the call of its handler. */
class KilledProcessesTest {
    /** Ten loops that start further processes, and others that have left their parent and their process group. */
    private static final String MANY = """
            i=0
            while [ $i -lt 9 ]; do
                (while :; do sleep 0.01; done) &
                i=$((i+1))
            done
            (set -m; (sleep 1000 <&- >&- 2>&- 3>&- &) &)
            (set -m; (trap '' HUP INT TERM; while :; do sleep 0.01; done) &)
            """;

    private static final String SAY_MARK = "echo '{\"log\": \"'$MUSTER_CHILD'\"}' >&3\n";

    private final ChildProcesses children = new ChildProcesses(new PlainJson());
    private final RecordingContext context = new RecordingContext();

    @AfterEach
    void close() {
        children.close();
    }

    private Object sh(String script) throws Exception {
        JobHandler handler = children.commandHandlers(
                        List.of("sh", "-c", script), List.of("ml::train"), OptionalLong.empty())
                .get(0);
        return handler.body().run(context, new OpenArgs("{}", false));
    }

    private String mark() {
        return context.lines.get(0).substring("info ".length());
    }

    @RepeatedTest(5)
    void anInterruptKillsTheCommandAndAllThatItHasStarted() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                sh(MANY + SAY_MARK + "wait");
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        thread.start();
        await().until(() ->
                !context.lines.isEmpty() && MarkedProcesses.with(mark()).size() >= 12);

        thread.interrupt();
        long interrupted = System.nanoTime();
        thread.join(Duration.ofMinutes(1).toMillis());
        assertThat(thread.isAlive()).isFalse();
        Measured.within(
                Duration.ofSeconds(1),
                Duration.ofNanos(System.nanoTime() - interrupted),
                "the end of a command and its processes");
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(MarkedProcesses.with(mark())).isEmpty();
    }

    @RepeatedTest(5)
    void whatACommandLeavesBehindIsKilledWhenItHasEnded() throws Exception {
        assertThat(sh(MANY + SAY_MARK + "printf 1")).isEqualTo(new RawJson("1"));
        assertThat(MarkedProcesses.with(mark())).isEmpty();
    }

    @Test
    void aThreadThatIsInterruptedAlreadyRunsNothingForLong() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> sh("sleep 1000")).isInstanceOf(InterruptedException.class);
        } finally {
            Thread.interrupted();
        }
    }

    /** The process has left its parent and has no mark in its environment, and it holds the output of the command open. */
    @Test
    void aProcessThatCannotBeFoundDoesNotHoldUpTheJob(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("pid");
        Object result = sh("""
                (sh -c 'unset MUSTER_CHILD MUSTER_KEEPER; exec sh -c "echo \\$\\$ >%1$s; exec sleep 1000"' &) &
                while [ ! -s %1$s ]; do sleep 0.01; done
                printf 1
                """.formatted(file));
        String pid = Files.readString(file).strip();
        ProcessHandle hidden = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        try {
            assertThat(hidden.isAlive()).isTrue();
            assertThat(result).isEqualTo(new RawJson("1"));
        } finally {
            hidden.destroyForcibly();
        }
    }

    @Test
    void aKeeperThatWasKilledIsStartedAgainWithTheNextChild() throws Exception {
        sh("exit 0");
        long first = children.keeperPid();
        ProcessHandle.of(first).orElseThrow().destroyForcibly();
        await().until(() ->
                ProcessHandle.of(first).filter(ProcessHandle::isAlive).isEmpty());
        sh("exit 0");
        assertThat(ProcessHandle.of(children.keeperPid()).filter(ProcessHandle::isAlive))
                .isPresent();
        assertThat(children.keeperPid()).isNotEqualTo(first);
    }

    /** Something may clear old files out of the folder for temporary files while a node runs. */
    @Test
    void theKeeperRemovesAFolderOfPipesThatWasMadeLater() throws Exception {
        Path first = folderOfPipes();
        try (Stream<Path> left = Files.walk(first)) {
            left.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        }
        Path second = folderOfPipes();
        assertThat(second).isNotEqualTo(first).isDirectory();

        children.close();
        await().until(() -> !Files.exists(second));
    }

    private Path folderOfPipes() throws Exception {
        String path = ((RawJson) sh("printf '%s' \"$MUSTER_JOB_PIPE\"")).text().replace("\"", "");
        return Path.of(path).getParent();
    }

    @Test
    void theKeeperEndsWithTheNode() throws Exception {
        sh("exit 0");
        long keeper = children.keeperPid();
        children.close();
        assertThat(ProcessHandle.of(keeper).filter(ProcessHandle::isAlive)).isEmpty();
    }
}
