package dev.muster.cli.queues;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.config.Nearest;
import dev.muster.job.KnownNames;
import dev.muster.job.QueueInfo;
import dev.muster.job.Queues;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Names;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The queue that a command pauses or resumes. */
final class OneQueue {
    @Parameters(paramLabel = "NAME", description = "The queue's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    /** Pauses or resumes the queue, and prints the result. */
    void steer(boolean pause) {
        Names.require("queue", name);
        try (Session session = Session.open(settings.load())) {
            session.prepareTables();
            if (pause) {
                session.queues().pause(name);
            } else {
                session.queues().resume(name);
            }
            print(session, pause);
        }
    }

    /** If the queue cannot be read now, the command still succeeds: the queue has been paused or resumed. */
    private void print(Session session, boolean paused) {
        QueueInfo queue;
        try {
            queue = find(session.queues());
        } catch (MusterException e) {
            output.print(
                    () -> Json.object().put("name", name).put("paused", paused),
                    () -> (paused ? "paused" : "resumed") + " queue " + name);
            output.say("muster: the queue's jobs could not be counted: " + e.getMessage());
            return;
        }
        output.print(() -> QueueJson.of(queue), () -> QueueText.table(List.of(queue)));
        if (isEmpty(queue)) {
            output.hint(() -> unused(session.admin().knownNames()));
        }
    }

    private List<String> unused(KnownNames known) {
        return known.usedQueues().contains(name)
                ? List.of()
                : List.of("no job and no handler of queue '" + name + "' is known, which is no error: queues are not"
                        + " registered" + Nearest.suggestion(name, known.usedQueues()));
    }

    private static boolean isEmpty(QueueInfo queue) {
        return queue.waiting() + queue.pending() + queue.claimed() + queue.running() == 0;
    }

    /** An empty queue that is not paused has no row, but it is a valid queue. */
    private QueueInfo find(Queues queues) {
        return queues.list().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseGet(() -> QueueInfo.empty(name));
    }
}
