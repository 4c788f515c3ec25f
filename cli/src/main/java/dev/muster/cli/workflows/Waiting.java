package dev.muster.cli.workflows;

import dev.muster.cli.console.Ages;
import dev.muster.cli.console.Terminal;
import dev.muster.cli.database.Session;
import dev.muster.job.JobId;
import dev.muster.runtime.Durations;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.Workflows;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a run to end. It prints on standard error which run this is, after a moment what it waits for and why, and again whenever
 * that changes. A user who interrupts the wait is told that the run stays.
 */
final class Waiting {
    private static final Duration REPORT_EVERY = Duration.ofSeconds(2);

    private final Session session;
    private final Workflows workflows;
    private final Terminal terminal;
    private final @Nullable Duration limit;
    private final long start = System.nanoTime();
    private String lastSaid = "";

    /** @param limit how long to wait in total; null for no limit */
    Waiting(Session session, Terminal terminal, @Nullable Duration limit) {
        this.session = session;
        this.workflows = session.muster().workflows();
        this.terminal = terminal;
        this.limit = limit;
    }

    /** Returns the run when it has ended or the limit is reached. */
    RunInfo untilEnded(JobId id) {
        terminal.line("muster: waiting for run " + id + " to end");
        Thread brokenOff = new Thread(() -> terminal.line("muster: no longer waiting; run " + id
                + " stays and goes on without this command. muster workflows show " + id));
        Runtime.getRuntime().addShutdownHook(brokenOff);
        try {
            return waitFor(id);
        } finally {
            terminal.clear();
            withdraw(brokenOff);
        }
    }

    private static void withdraw(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, so the shutdown hook prints the message.
        }
    }

    private RunInfo waitFor(JobId id) {
        while (true) {
            Duration left = left();
            RunInfo run = workflows.await(id, Durations.shorter(left, REPORT_EVERY));
            if (run.status().isTerminal() || left.isZero()) {
                return run;
            }
            say(run);
        }
    }

    /** Prints what the run does, unless that has not changed. */
    private void say(RunInfo run) {
        String state = WaitingReason.of(session, run, workflows.steps(run.id()))
                .map(why -> run.status().text() + ": " + why)
                .orElseGet(() -> run.status().text() + " on node " + run.node().orElse("?"));
        if (!state.equals(lastSaid)) {
            lastSaid = state;
            terminal.line("muster: the run is " + state);
        }
        terminal.show(Ages.brief(elapsed()) + "  " + run.workflow() + "  " + state);
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private Duration left() {
        if (limit == null) {
            return REPORT_EVERY;
        }
        Duration left = limit.minus(elapsed());
        return left.isNegative() ? Duration.ZERO : left;
    }
}
