package dev.muster.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.ErrorText;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.internal.worker.JobMethods;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.Job;
import dev.muster.job.JobHandler;
import dev.muster.job.RawJson;
import dev.muster.job.Snooze;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Measured;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Jobs whose handlers run in a JVM of their own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnJvmTest {
    private static final OptionalLong MEMORY = OptionalLong.of(32 << 20);

    private final ChildProcesses children = new ChildProcesses(new PlainJson());
    private Map<String, JobHandler> handlers;

    @BeforeAll
    void start() {
        handlers = children.ownJvmHandlers(handlersOf(new ChildJobs()), MEMORY).stream()
                .collect(Collectors.toMap(JobHandler::name, Function.identity()));
    }

    @AfterAll
    void close() {
        children.close();
    }

    private static List<JobHandler> handlersOf(Object object) {
        return HandlerScanner.scan(object).of(JobMethods.JOBS);
    }

    private Object run(String job, String args) throws Exception {
        return run(job, args, new RecordingContext());
    }

    private Object run(String job, String args, RecordingContext context) throws Exception {
        return handlers.get(job).body().run(context.named(job), new OpenArgs(args, false));
    }

    private Throwable failureOf(String job, String args) {
        return catchThrowable(() -> run(job, args));
    }

    @Test
    void theHandlerGetsItsArgsAndItsContextAndItsResultArrives() throws Exception {
        RecordingContext context = new RecordingContext();
        assertThat(run("greet", "{\"name\": \"Änne\"}", context))
                .isEqualTo(new RawJson("\"hello Änne from " + context.id()
                        + " greet default 2 3 1 {tenant=acme} node-1 Fence[timeline=4, token=17] false\""));
        assertThat(run("nothing", "null")).isNull();
    }

    @Test
    void largeArgsArrive() throws Exception {
        String name = "x".repeat(500_000);
        assertThat(((RawJson) run("greet", "{\"name\": \"" + name + "\"}")).text())
                .startsWith("\"hello " + name);
    }

    @Test
    void progressAndLogLinesArrive() throws Exception {
        RecordingContext context = new RecordingContext();
        run("report", "null", context);
        assertThat(context.progress).containsExactly("7 said \"hm\"", "100 null");
        assertThat(context.lines).containsExactly("info loaded 3", "warn slow");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void systemExitEndsTheChildOnly(int code) {
        assertThat(ErrorText.of(failureOf("exit", "{\"code\": \"" + code + "\"}")))
                .startsWith("its process ended with exit code " + code)
                .contains("the end of its standard error:", "good bye");
    }

    @Test
    void memoryOfTheChildThatRunsOutIsAFailureOfTheJob() {
        Throwable failure = failureOf("fill_memory", "null");
        assertThat(ErrorText.of(failure)).contains("java.lang.OutOfMemoryError");
        assertThat(handlers.get("fill_memory").retry().retries(failure)).isTrue();
    }

    @Test
    void anExceptionArrivesWithTypeMessageAndStackTraceAndTheChildAppliesTheRetryPolicy() {
        Throwable retried = failureOf("fail", "{\"with\": \"io\"}");
        assertThat(ErrorText.of(retried))
                .startsWith(
                        "java.io.FileNotFoundException: no such file: x\n\tat dev.muster.internal.process.ChildJobs.fail(");
        JobHandler fail = handlers.get("fail");
        assertThat(fail.retry().maxAttempts()).isEqualTo(5);
        assertThat(fail.retry().retries(retried)).isTrue();
        assertThat(fail.retry().delayAfter(2, retried, new Random(1))).isEqualTo(Duration.ofSeconds(14));

        Throwable notRetried = failureOf("fail", "{\"with\": \"state\"}");
        assertThat(ErrorText.of(notRetried)).startsWith("java.lang.IllegalStateException: not retried\n\tat ");
        assertThat(fail.retry().retries(notRetried)).isFalse();
    }

    @Test
    void aHandlerCanSnoozeAndSetTheNextAttempt() {
        assertThat(failureOf("snooze", "null"))
                .isInstanceOfSatisfying(
                        Snooze.class, snooze -> assertThat(snooze.delay()).isEqualTo(Duration.ofMinutes(5)));
        Throwable later = failureOf("retry_later", "null");
        assertThat(ErrorText.of(later)).contains("429 Too Many Requests");
        assertThat(SqlErrors.causedByLostConnection(later)).isFalse();
        assertThat(handlers.get("retry_later").retry().delayAfter(2, later, new Random(1)))
                .isEqualTo(Duration.ofSeconds(42));
    }

    @Test
    void theNodeLearnsThatTheHandlerLostItsConnection() {
        assertThat(SqlErrors.causedByLostConnection(failureOf("lose_connection", "null")))
                .isTrue();
    }

    @Test
    void argsThatDoNotFitAreNotTriedAgainAndNotQuotedIfTheyAreEncrypted() {
        Throwable failure = failureOf("greet", "null");
        assertThat(ErrorText.of(failure)).contains("the handler needs args");
        assertThat(handlers.get("greet").retry().retries(failure)).isFalse();
        assertThatThrownBy(() -> handlers.get("greet")
                        .body()
                        .run(new RecordingContext().named("greet"), new OpenArgs("{\"sesame", true)))
                .hasMessageContaining("because they are encrypted")
                .satisfies(e -> assertThat(ErrorText.of(e)).doesNotContain("sesame"));
    }

    @Test
    void aResultIsLimited() throws Exception {
        Throwable failure = failureOf("large_result", "null");
        assertThat(failure).hasMessageContaining("its result has 4000002 bytes");
        assertThat(handlers.get("large_result").retry().retries(failure)).isFalse();
        assertThat(((RawJson) run("largest_result", "null")).text().getBytes(StandardCharsets.UTF_8))
                .hasSize(AttemptRules.MAX_RESULT);
    }

    @Test
    void whatNeedsTheNodeSaysThatItDoesNotExist() throws Exception {
        assertThat(((RawJson) run("use_node", "null")).text())
                .contains(
                        "jobs() does not exist in an executor of kind process",
                        "connection() does not exist in an executor of kind process",
                        "completeIn does not exist in an executor of kind process");
    }

    @Test
    void whatAHandlerLeavesBehindEndsWithIt() throws Exception {
        String mark = ((RawJson) run("leave_behind", "null")).text().replace("\"", "");
        assertThat(MarkedProcesses.with(mark)).isEmpty();
    }

    @Test
    void anInterruptKillsTheChild() throws Exception {
        RecordingContext context = new RecordingContext();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> thrown.set(catchThrowable(() -> run("wait", "null", context))));
        thread.start();
        await().until(() -> !context.lines.isEmpty());
        String mark = context.lines.get(0).substring("info ".length());
        assertThat(MarkedProcesses.with(mark)).isNotEmpty();

        thread.interrupt();
        long interrupted = System.nanoTime();
        thread.join(Duration.ofMinutes(1).toMillis());
        assertThat(thread.isAlive()).isFalse();
        Measured.within(
                Duration.ofSeconds(1), Duration.ofNanos(System.nanoTime() - interrupted), "the end of a child JVM");
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(MarkedProcesses.with(mark)).isEmpty();
    }

    @Test
    void anApplicationOfTheServiceLoaderBuildsItsHandlers(@TempDir Path folder) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve("dev.muster.MusterApp"), ChildApp.class.getName());
        List<JobHandler> given = List.of(
                handlersOf(new ChildApp.Greeter("hello", null)).stream()
                        .filter(handler -> handler.name().equals("greet_by_app"))
                        .findFirst()
                        .orElseThrow(),
                handlersOf(new ChildApp.Greeter("hello", null)).stream()
                        .filter(handler -> handler.name().equals("connect"))
                        .findFirst()
                        .orElseThrow(),
                JobHandler.named("lambda").handle((context, args) -> "of another lambda"));
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        List<JobHandler> built;
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(loader);
            built = children.ownJvmHandlers(given, MEMORY);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
        assertThat(resultOf(built.get(0))).isEqualTo(new RawJson("\"moin\""));
        assertThatThrownBy(() -> resultOf(built.get(1)))
                .hasMessageContaining("the node's connections do not exist in an executor of kind process");
        assertThat(resultOf(built.get(2))).isEqualTo(new RawJson("\"of a lambda\""));
    }

    private static Object resultOf(JobHandler handler) throws Exception {
        return handler.body().run(new RecordingContext().named(handler.name()), new OpenArgs("null", false));
    }

    /** Has a constructor without parameters, but is not public. */
    static final class Hidden {
        @Job("hidden")
        void run() {}
    }

    public static final class Broken {
        public Broken() {
            if (System.getenv("MUSTER_CHILD") != null) {
                throw new IllegalStateException("no licence");
            }
        }

        @Job("broken")
        public void run() {}
    }

    /** In a child it waits for something that never comes, and leaves a file when it has got there. */
    public static final class Waiting {
        public Waiting() throws IOException {
            if (System.getenv("MUSTER_CHILD") != null) {
                System.err.println("waiting for the licence server");
                Files.writeString(fileOf(ProcessHandle.current().parent().orElseThrow()), "waiting");
                ChildJobs.waitForever();
            }
        }

        static Path fileOf(ProcessHandle node) {
            return Path.of(System.getProperty("java.io.tmpdir"), "muster-test-waiting-" + node.pid());
        }

        @Job("licensed")
        public void run() {}
    }

    @Test
    void aChildThatNeverFinishesIsKilledAndTheNodeSaysWhatItWaitedFor() throws Exception {
        Path file = Waiting.fileOf(ProcessHandle.current());
        // No time passes until the child has got to where it waits.
        AtomicInteger asked = new AtomicInteger();
        Clock clock = () -> {
            if (!Files.exists(file)) {
                return 0;
            }
            return Duration.ofSeconds(asked.getAndIncrement() == 0 ? 10 : 1_000).toNanos();
        };
        Logger logger = (Logger) LoggerFactory.getLogger(OwnJvm.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
        try (ChildProcesses patient = new ChildProcesses(new PlainJson(), clock)) {
            assertThatThrownBy(() -> patient.ownJvmHandlers(handlersOf(new Waiting()), OptionalLong.empty()))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("had not built the handlers of licensed within 120 s")
                    .hasMessageContaining("MusterApp.register")
                    .hasMessageContaining("waiting for the licence server");
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line -> line.contains("waits for a JVM that builds the handlers of licensed"));
        } finally {
            logger.setLevel(null);
            logger.detachAppender(lines);
            Files.deleteIfExists(file);
        }
    }

    @Test
    void handlersThatAChildCannotBuildAreRefusedAllAtOnce() {
        List<JobHandler> refused = List.of(
                handlersOf(new Hidden()).get(0),
                handlersOf(new ChildApp.Greeter("hello", null)).get(0),
                handlersOf(new Broken()).get(0),
                handlersOf(new ChildJobs()).get(0),
                JobHandler.named("lambda").retry(BackoffPolicy.DEFAULT).handle((context, args) -> 1));
        assertThatThrownBy(() -> children.ownJvmHandlers(refused, OptionalLong.empty()))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("job 'hidden' cannot run in an executor of kind process")
                .hasMessageContaining(Hidden.class.getName() + " is not public")
                .hasMessageContaining("no licence")
                .hasMessageContaining("job 'lambda' cannot run in an executor of kind process, because a child process"
                        + " cannot build its handler: it is not an annotated method")
                .hasMessageContaining(
                        "or it is a method of a public class with a public constructor without parameters");
    }
}
