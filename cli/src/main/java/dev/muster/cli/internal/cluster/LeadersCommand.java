package dev.muster.cli.internal.cluster;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.cli.internal.database.Session;
import dev.muster.cluster.LeaderInfo;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.LeaderDocument;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the leaders. */
@Command(name = "leaders", description = "List the leader of each role, as recorded in the database.")
final class LeadersCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            List<LeaderInfo> leaders = session.cluster().leaders();
            output.print(() -> JsonObjectWriter.list(leaders, LeaderDocument::write), () -> table(leaders));
        }
        return ExitCode.DONE;
    }

    private static String table(List<LeaderInfo> leaders) {
        if (leaders.isEmpty()) {
            return "no leaders yet";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("ROLE", "NODE", "TERM", "SINCE", "EXPIRES");
        for (LeaderInfo leader : leaders) {
            table.row(
                    leader.role(),
                    leader.isHeld()
                            ? leader.node().orElseThrow()
                            : leader.node().map(node -> "nobody, was " + node).orElse("nobody"),
                    leader.term(),
                    leader.term() == 0 ? "-" : ages.of(leader.since()),
                    leader.term() == 0 ? "-" : ages.of(leader.expiresAt()));
        }
        return table.toString();
    }
}
