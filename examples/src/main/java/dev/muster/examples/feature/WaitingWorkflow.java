package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import dev.muster.workflow.Workflows;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A workflow waits for an event, sleeps, runs branches at the same time and waits for a child. It holds no thread while it waits.
 *
 * <pre>
 * COMPLETED "Ada has mail and account; Hello, Ada"
 * </pre>
 */
final class WaitingWorkflow implements Example {
    static final WorkflowType<String, String> WELCOME = WorkflowType.of("welcome", String.class, String.class);
    static final WorkflowType<String, String> SIGN_UP = WorkflowType.of("sign_up", String.class, String.class);

    @Workflow(name = "welcome", version = "v1")
    String welcome(WorkflowContext wf, String name) {
        return wf.step("greet", String.class, step -> "Hello, " + name);
    }

    @Workflow(name = "sign_up", version = "v1")
    String signUp(WorkflowContext wf, String name) {
        Optional<String> confirmed = wf.awaitEvent("confirmed", String.class, Duration.ofDays(7));
        if (confirmed.isEmpty()) {
            return name + " has not confirmed";
        }

        wf.sleep(Duration.ofMillis(10)); // or for a year: a run that sleeps costs no thread

        List<String> made = wf.parallel(List.of(
                branch -> branch.step("mailbox", String.class, step -> "mail"),
                branch -> branch.step("account", String.class, step -> "account")));

        String greeting = wf.child(WELCOME, name);

        return name + " has " + String.join(" and ", made) + "; " + greeting;
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Workflows workflows = muster.workflows();
            JobId id = workflows.start(SIGN_UP, "Ada");
            workflows.signal(id, "confirmed", "by mail", "mail-4711"); // the same id again would be the same event
            RunInfo run = workflows.await(id, Duration.ofSeconds(30));
            out.println(run.status() + " " + run.result().orElseThrow());
        }
    }
}
