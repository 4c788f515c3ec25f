package dev.muster.cli.internal.queues;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.QueueDocument;
import dev.muster.job.QueueInfo;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists queues. */
@Command(
        name = "list",
        description = "List the queues that are paused, have a limit, or have jobs that have not ended.")
final class ListCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            List<QueueInfo> queues = session.queues().list();
            output.print(() -> JsonObjectWriter.list(queues, QueueDocument::write), () -> QueueText.table(queues));
        }
        return ExitCode.DONE;
    }
}
