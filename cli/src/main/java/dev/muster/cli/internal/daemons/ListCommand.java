package dev.muster.cli.internal.daemons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.cli.internal.database.Session;
import dev.muster.daemon.DaemonInfo;
import dev.muster.document.internal.DaemonDocument;
import dev.muster.document.internal.JsonObjectWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists daemons. */
@Command(name = "list", description = "List the daemons and the node on which each runs.")
final class ListCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            List<DaemonInfo> daemons = session.cluster().daemons().list();
            output.print(() -> JsonObjectWriter.list(daemons, DaemonDocument::write), () -> table(daemons));
        }
        return ExitCode.DONE;
    }

    private static String table(List<DaemonInfo> daemons) {
        if (daemons.isEmpty()) {
            return "no daemons";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("NAME", "STATUS", "NODE", "RESTARTS", "STARTED", "LAST ERROR");
        for (DaemonInfo daemon : daemons) {
            table.row(
                    daemon.name(),
                    daemon.status().text(),
                    daemon.node().or(daemon::slot).orElse("-"),
                    daemon.restarts(),
                    ages.of(daemon.startedAt()),
                    daemon.lastError().map(error -> Table.cut(error, 80)).orElse("-"));
        }
        return table.toString();
    }
}
