package dev.muster.cli.queues;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.config.Nearest;
import dev.muster.job.QueueInfo;
import dev.muster.job.Queues;
import dev.muster.runtime.Names;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The queue that a command steers. */
final class OneQueue {
    @Parameters(paramLabel = "NAME", description = "The queue's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    /** Does something to the queue, and prints it as it is then. */
    void steer(BiConsumer<Queues, String> action) {
        Names.require("queue", name);
        try (Session session = Session.open(settings.load())) {
            session.prepareTables();
            Set<String> known = session.knownNames().queues();
            action.accept(session.queues(), name);
            QueueInfo queue = find(session.queues());
            output.print(() -> QueueJson.of(queue), () -> QueueText.table(List.of(queue)));
            if (!known.contains(name) && isEmpty(queue)) {
                output.say("no job and no handler of queue '" + name + "' is known, which is no error: queues are not"
                        + " registered" + Nearest.suggestion(name, known));
            }
        }
    }

    private static boolean isEmpty(QueueInfo queue) {
        return queue.waiting() + queue.pending() + queue.claimed() + queue.running() == 0;
    }

    /** A queue that runs and is empty leaves no trace, and is one all the same. */
    private QueueInfo find(Queues queues) {
        return queues.list().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseGet(() -> QueueInfo.empty(name));
    }
}
