package dev.muster.internal.attempt;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.RawJson;
import dev.muster.job.RetryLater;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.JsonCodec.JsonException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.AbstractList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The table of cases: a handler, the request for its job, and what has to become of the job, whoever runs the handler. */
final class AttemptCases {
    private static final int MEGABYTE = 1 << 20;
    private static final Duration LONG = Duration.ofHours(1);

    /** The error that {@link #fail} leads to. */
    private static final String FAILS = "java.lang.Exception: fails\n\tat fixed.Frame.call0(Frame.java:1)";

    private final DataSource dataSource;
    private final Map<String, Case> cases = new LinkedHashMap<>();

    /**
     * One row of the table.
     *
     * @param inline whether the case concerns {@code InlineJobs}, which have neither interceptors nor transactions
     */
    record Case(JobHandler handler, JobRequest request, Expected expected, boolean inline) {}

    /**
     * What has to become of a job.
     *
     * @param status null if the request is refused
     * @param error the beginning of its error, or of the reason why the request is refused; null if there is none
     * @param result null if there is none
     */
    record Expected(
            @Nullable JobStatus status,
            int attempt,
            @Nullable String error,
            @Nullable Object result) {}

    /** The cases for handlers that open their own transactions with these connections. */
    static Map<String, Case> with(DataSource dataSource) {
        AttemptCases table = new AttemptCases(dataSource);
        table.args();
        table.results();
        table.errors();
        table.interrupts();
        table.retries();
        table.completions();
        table.interceptions();
        return table.cases;
    }

    private AttemptCases(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    private void args() {
        String largest = "x".repeat(MEGABYTE - 2);
        add(withArgs("largest_args", String.class, String::length), largest, completed(1, MEGABYTE - 2));
        add(
                withArgs("too_large_args", String.class, String::length),
                largest + "x",
                new Expected(null, 0, "args of job 'too_large_args' have 1048577 bytes", null));
        add(
                withArgs("no_args", NoJson.class, args -> "not reached"),
                new NoJson(),
                failed(
                        1,
                        "dev.muster.internal.attempt.BadArgs: the handler needs args of type " + NoJson.class.getName()
                                + ", but the job has none, which no retry can change"));
        add(
                withArgs("args_that_do_not_fit", OneWay.class, args -> "not reached"),
                new OneWay(1),
                failed(
                        1,
                        "dev.muster.internal.attempt.BadArgs: args do not fit " + OneWay.class.getName()
                                + ", which no retry can change: "));
        add(
                withArgs("args_like_an_envelope", Map.class, args -> args),
                Map.of("$muster", "aes-gcm-1", "kid", "mine"),
                completed(1, Map.of("$muster", "aes-gcm-1", "kid", "mine")));
        add(
                "what_the_context_says",
                (ctx, none) -> List.of(ctx.name(), ctx.queue(), ctx.attempt(), ctx.maxAttempts(), ctx.crashes()),
                completed(1, List.of("what_the_context_says", "default", 1, 2, 0)));
    }

    private void results() {
        add("no_result", (ctx, none) -> null, completed(1, null));
        add("largest_result", (ctx, none) -> "x".repeat(MEGABYTE - 2), completed(1, "x".repeat(MEGABYTE - 2)));
        add(
                "too_large_result",
                (ctx, none) -> "x".repeat(MEGABYTE - 1),
                failed(1, "its result has 1048577 bytes; at most 1048576 are kept."));
        add(
                "result_that_cannot_be_written",
                (ctx, none) -> Double.NaN,
                failed(1, "its result cannot be written as JSON: "));
        add(
                "result_whose_writing_breaks_off",
                (ctx, none) -> new BreaksOff(),
                failed(2, "java.lang.NoClassDefFoundError: of the result\n\tat fixed.Frame.call0(Frame.java:1)"));
        add(
                "result_with_nul",
                (ctx, none) -> "a\0b",
                failed(
                        1,
                        "its result cannot be written as JSON: a text contains the character U+0000, which PostgreSQL cannot store"));
        add(
                "result_that_grows",
                (ctx, none) -> new RawJson("[1e131071]"),
                failed(
                        1,
                        "its result cannot be written as JSON: a number has more than 1000 digits when it is written out"));
        add(
                "result_that_is_no_json",
                (ctx, none) -> new RawJson("[1,"),
                failed(1, "its result cannot be written as JSON: "));
        add(
                "result_with_half_a_pair",
                (ctx, none) -> "a\ud800b",
                failed(
                        1,
                        "its result cannot be written as JSON: a text contains half a surrogate pair, which PostgreSQL cannot store"));
        add(
                "progress_with_nul",
                (ctx, none) -> {
                    ctx.progress(40, "before");
                    ctx.progress(50, "half\0" + "x".repeat(2_000));
                    return "done";
                },
                completed(1, "done"));
        add(
                "progress_out_of_range",
                (ctx, none) -> {
                    ctx.progress(101);
                    return "not reached";
                },
                failed(2, "java.lang.IllegalArgumentException: progress must be 0 to 100 percent, not 101"));
    }

    private void errors() {
        fails("plain_failure", fixed(new IllegalStateException("no"), 1), "java.lang.IllegalStateException: no\n\tat");
        fails("error", fixed(new AssertionError("no"), 1), "java.lang.AssertionError: no\n\tat fixed");
        fails("checked_failure", fixed(new Exception("no"), 1), "java.lang.Exception: no\n\tat fixed");
        fails("to_string_throws", new ToStringThrows(), ToStringThrows.class.getName());
        fails("print_stack_trace_throws", new PrintingThrows(), "the beginning\n" + PrintingThrows.class.getName());
        fails("huge_stack_trace", fixed(new Exception("deep"), 1_000), "java.lang.Exception: deep\n\tat fixed.Frame");
        fails("huge_message", fixed(new Exception("x".repeat(100_000)), 1), "java.lang.Exception: xxxxxxxxxxxxxxx");
        fails("nul_in_message", fixed(new Exception("a\0b"), 1), "java.lang.Exception: a\uFFFDb\n\tat fixed");
        fails(
                "nul_in_the_cause",
                fixed(new Exception("outer", fixed(new Exception("a\0b"), 1)), 1),
                "java.lang.Exception: outer\n\tat fixed.Frame.call0(Frame.java:1)\n"
                        + "Caused by: java.lang.Exception: a\uFFFDb");
    }

    private void interrupts() {
        add(
                "interrupts_itself_and_returns",
                (ctx, none) -> {
                    Thread.currentThread().interrupt();
                    return "done";
                },
                completed(1, "done"));
        add("after_an_interrupt", (ctx, none) -> Thread.currentThread().isInterrupted(), completed(1, false));
        add(
                "interrupts_itself_and_fails",
                (ctx, none) -> {
                    Thread.currentThread().interrupt();
                    throw fixed(new Exception("no"), 1);
                },
                failed(2, "java.lang.Exception: no"));
        fails(
                "interrupted",
                fixed(new InterruptedException("by itself"), 1),
                "java.lang.InterruptedException: by itself\n\tat fixed");
        add("after_a_failure", (ctx, none) -> Thread.currentThread().isInterrupted(), completed(1, false));
    }

    private void retries() {
        add("snoozes", (ctx, none) -> snooze(ctx), new Expected(JobStatus.PENDING, 0, null, null));
        add(
                "fails_and_then_snoozes",
                (ctx, none) -> ctx.attempt() == 1 ? fail() : snooze(ctx),
                new Expected(JobStatus.PENDING, 1, "java.lang.Exception: fails", null));
        add(
                "retry_in",
                (ctx, none) -> {
                    throw fixed(ctx.retryIn(Duration.ofMillis(7), "429"), 1);
                },
                failed(2, "dev.muster.job.RetryLater: 429"));
        add(
                JobHandler.named("retry_later_that_is_not_retried")
                        .retry(RetryPolicy.attempts(3).withNoRetryOn(Closed.class))
                        .handle((ctx, none) -> {
                            throw fixed(new Closed(), 1);
                        }),
                failed(1, Closed.class.getName() + ": closed for good"));
        add(
                JobHandler.named("no_retry_on")
                        .retry(RetryPolicy.attempts(3).withNoRetryOn(IllegalStateException.class))
                        .handle((ctx, none) -> {
                            throw fixed(new IllegalStateException("no"), 1);
                        }),
                failed(1, "java.lang.IllegalStateException: no"));
        add("completes_at_the_last_attempt", (ctx, none) -> ctx.attempt() == 1 ? fail() : "done", completed(2, "done"));
        add(handler("its_only_attempt", (ctx, none) -> fail()), null, r -> r.maxAttempts(1), failed(1, FAILS), true);
        add(handler("a_limit_of_its_own", (ctx, none) -> fail()), null, r -> r.maxAttempts(4), failed(4, FAILS), true);
        add(
                JobHandler.named("policy_that_throws")
                        .retry(new TwoAttempts() {
                            @Override
                            public boolean retries(Throwable failure) {
                                throw new IllegalStateException("of the policy");
                            }
                        })
                        .handle((ctx, none) -> fail()),
                failed(2, FAILS));
    }

    private void completions() {
        add(
                "completes_in_its_transaction",
                (ctx, none) -> {
                    inTransaction(connection -> {
                        ctx.completeIn(connection, "committed");
                        connection.commit();
                    });
                    return Double.NaN;
                },
                completed(1, "committed"));
        add(
                "fails_after_its_commit",
                (ctx, none) -> {
                    inTransaction(connection -> {
                        ctx.completeIn(connection, "committed");
                        connection.commit();
                    });
                    return fail();
                },
                completed(1, "committed"));
        add(
                "completes_without_a_transaction",
                (ctx, none) -> {
                    try (Connection connection = dataSource.getConnection()) {
                        ctx.completeIn(connection);
                    }
                    return "not reached";
                },
                failed(2, "java.lang.IllegalStateException: completeIn needs an open transaction"));
        add(
                "completes_with_what_is_too_large",
                (ctx, none) -> {
                    inTransaction(connection -> ctx.completeIn(connection, "x".repeat(MEGABYTE - 1)));
                    return "not reached";
                },
                failed(2, "dev.muster.internal.attempt.ResultTooLarge: its result has 1048577 bytes"));
        add(
                "completes_with_what_cannot_be_written",
                (ctx, none) -> {
                    inTransaction(connection -> {
                        try {
                            ctx.completeIn(connection, Double.NaN);
                        } catch (JsonException e) {
                            connection.rollback();
                        }
                    });
                    return "instead";
                },
                completed(1, "instead"));
        onlyWithDatabase(
                "rolls_back",
                (ctx, none) -> {
                    inTransaction(ctx::completeIn);
                    return Double.NaN;
                },
                failed(2, "dev.muster.runtime.MusterException: the transaction of completeIn was not committed"));
        onlyWithDatabase(
                "rolls_back_and_fails",
                (ctx, none) -> {
                    inTransaction(ctx::completeIn);
                    return fail();
                },
                failed(2, FAILS));
        onlyWithDatabase(
                "rolls_back_and_snoozes",
                (ctx, none) -> {
                    inTransaction(ctx::completeIn);
                    return snooze(ctx);
                },
                failed(2, "dev.muster.job.Snooze: snoozed for PT1H"));
        onlyWithDatabase(
                "completes_twice",
                (ctx, none) -> {
                    inTransaction(connection -> {
                        ctx.completeIn(connection);
                        ctx.completeIn(connection);
                    });
                    return "not reached";
                },
                failed(2, "java.lang.IllegalStateException: completeIn was called before in this attempt"));
    }

    private void interceptions() {
        onlyWithDatabase("changed", (ctx, none) -> "result", completed(1, "changed result"));
        onlyWithDatabase("blocked", (ctx, none) -> "not reached", completed(1, "blocked"));
        onlyWithDatabase("refused", (ctx, none) -> "not reached", failed(2, "java.lang.Exception: refused"));
        onlyWithDatabase("rescued", (ctx, none) -> fail(), completed(1, "rescued"));
    }

    /** Treats the jobs of {@link #interceptions} as their names say, and leaves the others alone. */
    static final class Interceptor implements JobInterceptor {
        @Override
        public @Nullable Object run(JobContext context, Run run) throws Exception {
            switch (context.name()) {
                case "changed":
                    return "changed " + run.proceed();
                case "blocked":
                    return "blocked";
                case "refused":
                    throw fixed(new Exception("refused"), 1);
                case "rescued":
                    try {
                        return run.proceed();
                    } catch (Exception e) {
                        return "rescued";
                    }
                default:
                    return run.proceed();
            }
        }
    }

    private static Object fail() throws Exception {
        throw fixed(new Exception("fails"), 1);
    }

    private static Object snooze(JobContext context) {
        throw fixed(context.snooze(LONG), 1);
    }

    /** This failure with a stack trace that is the same wherever it is thrown. */
    private static <T extends Throwable> T fixed(T failure, int frames) {
        StackTraceElement[] trace = new StackTraceElement[frames];
        for (int i = 0; i < frames; i++) {
            trace[i] = new StackTraceElement("fixed.Frame", "call" + i, "Frame.java", i + 1);
        }
        failure.setStackTrace(trace);
        return failure;
    }

    /** Work in a transaction of the handler's own. */
    @FunctionalInterface
    private interface Transaction {
        void run(Connection connection) throws SQLException;
    }

    /** Rolls back unless the work commits. */
    private void inTransaction(Transaction work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            work.run(connection);
            connection.rollback();
        }
    }

    /** Two attempts, and waits that are the same each time. */
    private static class TwoAttempts implements RetryPolicy {
        @Override
        public int maxAttempts() {
            return 2;
        }

        @Override
        public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
            return Duration.ofMillis(10L * attempt);
        }
    }

    private static JobHandler handler(String name, JobHandler.WithResult<Object, Object> code) {
        return JobHandler.named(name).retry(new TwoAttempts()).handle(code);
    }

    /** What a handler makes of its args. */
    @FunctionalInterface
    private interface OfArgs<A> {
        Object of(A args);
    }

    private static <A> JobHandler withArgs(String name, Class<A> type, OfArgs<A> code) {
        return JobHandler.named(name).args(type).retry(new TwoAttempts()).handle((ctx, args) -> code.of(args));
    }

    private static Expected completed(int attempt, @Nullable Object result) {
        return new Expected(JobStatus.COMPLETED, attempt, null, result);
    }

    private static Expected failed(int attempt, String error) {
        return new Expected(JobStatus.FAILED, attempt, error, null);
    }

    private void fails(String name, Throwable failure, String error) {
        add(
                name,
                (ctx, none) -> {
                    if (failure instanceof Exception e) {
                        throw e;
                    }
                    throw (Error) failure;
                },
                failed(2, error));
    }

    private void add(String name, JobHandler.WithResult<Object, Object> code, Expected expected) {
        add(handler(name, code), expected);
    }

    private void add(JobHandler handler, Expected expected) {
        add(handler, null, expected);
    }

    private void add(JobHandler handler, @Nullable Object args, Expected expected) {
        add(handler, args, request -> request, expected, true);
    }

    private void onlyWithDatabase(String name, JobHandler.WithResult<Object, Object> code, Expected expected) {
        add(handler(name, code), null, request -> request, expected, false);
    }

    private void add(
            JobHandler handler,
            @Nullable Object args,
            UnaryOperator<JobRequest> options,
            Expected expected,
            boolean inline) {
        JobRequest request = options.apply(JobRequest.of(handler.name(), args));
        cases.put(handler.name(), new Case(handler, request, expected, inline));
    }

    /** Args that are written as {@code null}. */
    static final class NoJson {
        @JsonValue
        @Nullable
        Object json() {
            return null;
        }
    }

    /** Args that are written as an array but read from an object. */
    record OneWay(int number) {
        @JsonValue
        List<Integer> json() {
            return List.of(number);
        }
    }

    /** A result whose writing ends with an error. */
    private static final class BreaksOff extends AbstractList<String> {
        @Override
        public String get(int index) {
            throw fixed(new NoClassDefFoundError("of the result"), 1);
        }

        @Override
        public int size() {
            return 1;
        }
    }

    /** An exception that cannot be turned into text. */
    private static final class ToStringThrows extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new IllegalStateException("of toString");
        }
    }

    /** An exception that breaks off while it is printed. */
    private static final class PrintingThrows extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public void printStackTrace(PrintWriter writer) {
            writer.print("the beginning\n");
            throw new StackOverflowError("of printStackTrace");
        }
    }

    /** A wait that is over for good. */
    private static final class Closed extends RetryLater {
        private static final long serialVersionUID = 1L;

        Closed() {
            super(Duration.ofMillis(1), "closed for good");
        }
    }
}
