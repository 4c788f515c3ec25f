package dev.muster.cli.queues;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.job.QueueInfo;
import dev.muster.job.Queues;
import dev.muster.runtime.Names;
import java.util.List;
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
            action.accept(session.queues(), name);
            QueueInfo queue = find(session.queues());
            output.print(() -> QueueJson.of(queue), () -> QueueText.table(List.of(queue)));
        }
    }

    /** A queue that runs and is empty leaves no trace, and is one all the same. */
    private QueueInfo find(Queues queues) {
        return queues.list().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseGet(() -> QueueInfo.empty(name));
    }
}
