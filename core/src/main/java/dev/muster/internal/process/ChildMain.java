package dev.muster.internal.process;

import dev.muster.internal.attempt.Attempt;
import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.HandlerEnd;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.process.HandlerFinder.Origin;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.job.JobHandler;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The program of a child JVM. It reads an order from standard input, one line and the args, and answers with one line on standard output:
 * what becomes of the attempt by the same {@link AttemptRules} that a node uses, so that exceptions need not leave this process.
 */
public final class ChildMain {
    private static final int OUT_OF_ORDER = 70;
    private static final int EXIT_SECONDS = 5;

    private ChildMain() {}

    /** Does what the node orders, and ends this JVM. */
    public static void run(HandlerSource source) {
        PrintStream answers = System.out;
        InputStream orders = System.in;
        // What handlers and libraries print must not be taken for the answer.
        System.setOut(System.err);
        System.setIn(InputStream.nullInputStream());
        try {
            JobMessage order = JobMessage.readLine(orders);
            byte[] args = orders.readNBytes((int) order.number("args_bytes"));
            endWithNode(orders);
            HandlerFinder finder = new HandlerFinder(source, order.text("codec"));
            JobMessage answer = order.has("check")
                    ? check(finder, order)
                    : attempt(finder, order, new String(args, StandardCharsets.UTF_8));
            answers.write(("\n" + order.text("answer") + " " + answer + "\n").getBytes(StandardCharsets.UTF_8));
            answers.flush();
        } catch (Throwable e) {
            try {
                e.printStackTrace();
            } finally {
                // Printing fails, too, if memory is short.
                Runtime.getRuntime().halt(OUT_OF_ORDER);
            }
        }
        // The handler may have left threads behind, and hooks that do not end.
        startDaemon("muster-exit", ChildMain::haltLater);
        System.exit(0);
    }

    private static void haltLater() {
        try {
            TimeUnit.SECONDS.sleep(EXIT_SECONDS);
        } catch (InterruptedException e) {
            // Nobody waits for this thread.
        }
        Runtime.getRuntime().halt(0);
    }

    private static void startDaemon(String name, Runnable action) {
        Thread thread = new Thread(action, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** The node holds the other end open as long as it lives. */
    private static void endWithNode(InputStream orders) {
        startDaemon("muster-node-watcher", () -> {
            try {
                while (orders.read() >= 0) {
                    // Nothing more is said.
                }
            } catch (IOException e) {
                // As good as the end.
            }
            Runtime.getRuntime().halt(OUT_OF_ORDER);
        });
    }

    private static JobMessage check(HandlerFinder finder, JobMessage order) {
        List<JobMessage> answers = new ArrayList<>();
        for (JobMessage handler : order.list("check")) {
            JobMessage answer = new JobMessage();
            try {
                Origin origin = finder.origin(handler.text("job"), handler.textOrNull("type"));
                finder.json(origin);
                answer.with("app", origin.app()).with("type", origin.type());
            } catch (RuntimeException | LinkageError e) {
                answer.with("problem", String.valueOf(e.getMessage()));
            }
            answers.add(answer);
        }
        return new JobMessage().with("handlers", answers);
    }

    private static JobMessage attempt(HandlerFinder finder, JobMessage order, String args) {
        ChildContext context = new ChildContext(order, System.getenv("MUSTER_JOB_PIPE"));
        Origin origin = new Origin(order.textOrNull("app"), order.textOrNull("type"));
        JobHandler handler = finder.handler(context.name(), origin);
        JsonCodec json = finder.json(origin);
        Clock clock = Clock.system();
        AttemptRules rules = new AttemptRules(
                json,
                new Payloads(PayloadCipher.none()),
                (job, stored) -> Optional.empty(),
                List.of(),
                ThreadLocalRandom::current,
                clock);
        Attempt attempt = new ChildAttempt(
                new ClaimedJob(
                        new ClaimRef(context.id(), context.fence().token()),
                        context.fence().timeline(),
                        context.name(),
                        handler.lane(),
                        context.attempt(),
                        context.maxAttempts(),
                        null,
                        context.crashes(),
                        false,
                        null,
                        null,
                        null),
                handler,
                JobRetries.of(handler.retry(), context.maxAttempts(), null),
                clock.nanos());
        HandlerEnd ended = rules.call(attempt, context, new OpenArgs(args, order.flag("sealed")));
        if (ended.claimLost()) {
            return new JobMessage().with("end", "claim_lost");
        }
        Outcome outcome;
        try {
            outcome = rules.outcome(attempt, ended);
        } catch (RuntimeException | Error e) {
            outcome = rules.failure(attempt, e);
        }
        boolean connectionLost = ended.failure() != null && SqlErrors.causedByLostConnection(ended.failure());
        return answer(outcome).with("connection_lost", connectionLost);
    }

    private static JobMessage answer(Outcome outcome) {
        JobMessage answer = new JobMessage();
        if (outcome instanceof Outcome.Completed completed) {
            return answer.with("end", "completed").with("result", completed.result());
        }
        if (outcome instanceof Outcome.Snoozed snoozed) {
            return answer.with("end", "snoozed")
                    .with("delay_ms", snoozed.delay().toMillis());
        }
        if (outcome instanceof Outcome.Retried retried) {
            return answer.with("end", "retried")
                    .with("error", retried.error())
                    .with("delay_ms", retried.delay().toMillis());
        }
        if (outcome instanceof Outcome.Failed failed) {
            return answer.with("end", "failed").with("error", failed.error());
        }
        throw new IllegalStateException("a handler in a process of its own ended as " + outcome);
    }

    private record ChildAttempt(ClaimedJob job, JobHandler handler, JobRetries retries, long startedAt)
            implements Attempt {}
}
