package dev.muster.cli.cluster;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.Ages;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.console.Table;
import dev.muster.cli.database.Session;
import dev.muster.cluster.LeaderInfo;
import dev.muster.document.LeaderDocument;
import dev.muster.document.Members;
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
            output.print(() -> Members.list(leaders, LeaderDocument::write), () -> table(leaders));
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
