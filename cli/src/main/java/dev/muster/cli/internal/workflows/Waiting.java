package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.CommandWait;
import dev.muster.cli.internal.console.Terminal;
import dev.muster.cli.internal.database.Session;
import dev.muster.internal.workflow.WaitingReason;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.Workflows;
import java.time.Duration;
import java.time.Instant;

/** Waits for a run to end. After a moment it prints on standard error what the run waits for and why, and again whenever that changes. */
final class Waiting {
    private static final Duration REPORT_EVERY = Duration.ofSeconds(2);

    private final Session session;
    private final Workflows workflows;
    private final CommandWait wait;
    private final Terminal terminal;
    private String lastSaid = "";

    Waiting(Session session, CommandWait wait) {
        this.session = session;
        this.workflows = session.cluster().workflows();
        this.wait = wait;
        this.terminal = wait.terminal();
    }

    /** Returns the run when it has ended or the limit is reached. */
    RunInfo untilEnded(JobId id) {
        return wait.run(
                "run " + id + " to end",
                "run " + id + " stays and continues without this command. muster workflows show " + id,
                () -> waitFor(id));
    }

    private RunInfo waitFor(JobId id) {
        while (true) {
            Duration next = wait.next(REPORT_EVERY);
            RunInfo run = workflows.await(id, next);
            if (run.status().isTerminal()) {
                return run;
            }
            say(run);
            if (next.isZero()) {
                return run;
            }
        }
    }

    /** Prints what the run does, unless that has not changed. */
    private void say(RunInfo run) {
        String state = WaitingReason.of(workflows, session.jobs(), Instant::now, run, workflows.steps(run.id()))
                .map(why -> run.status().text() + ": " + why)
                .orElseGet(() -> run.status().text() + " on node " + run.node().orElse("?"));
        if (!state.equals(lastSaid)) {
            lastSaid = state;
            terminal.line("muster: the run is " + state);
        }
        terminal.show(Ages.brief(wait.elapsed()) + "  " + run.workflow() + "  " + state);
    }
}
