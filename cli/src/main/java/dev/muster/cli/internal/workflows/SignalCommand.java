package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.jobs.ArgsText;
import dev.muster.job.RawJson;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends an event to a run. */
@Command(name = "signal", description = "Send an event to a run, which a wait for this name takes, now or later.")
final class SignalCommand implements Callable<Integer> {
    @Mixin
    private OneRun run;

    @Parameters(index = "1", paramLabel = "EVENT", description = "The event's name.")
    private String event;

    @Option(
            names = "--payload",
            paramLabel = "JSON",
            description = "The event's value as JSON; @FILE reads it from a file, - from standard input.")
    private @Nullable String payload;

    @Option(
            names = "--id",
            paramLabel = "EVENT_ID",
            description = "Your id of the event: a second event with the same id is not sent. Default: a new one.")
    private @Nullable String eventId;

    @Override
    public Integer call() {
        RawJson value = payload == null ? null : ArgsText.read("--payload", payload);
        run.change("workflows.signal", Map.of("event", event), (workflows, before) -> {
            if (before.status().isTerminal()) {
                throw CommandFailed.failed(
                        "run " + run.id() + " has ended as " + before.status().text() + "; it takes no more events");
            }
            String id = eventId == null ? UUID.randomUUID().toString() : eventId;
            boolean isNew = workflows.signal(run.id(), event, value, id);
            if (!isNew) {
                run.output().say("muster: already there: the run has event '" + id + "'; nothing was sent");
            }
            return (isNew ? "sent '" : "had '") + event + "': " + run.id();
        });
        return ExitCode.DONE;
    }
}
