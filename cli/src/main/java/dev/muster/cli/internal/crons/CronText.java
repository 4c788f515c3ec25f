package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Table;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Misfire;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Crons as text. */
final class CronText {
    private CronText() {}

    static String table(List<CronInfo> crons, Previews previews) {
        if (crons.isEmpty()) {
            return "no crons";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table(
                "NAME",
                "EXPRESSION",
                "ZONE",
                "NEXT (UTC)",
                "LAST",
                "PAUSED",
                "GONE",
                "MISFIRE",
                "OVERLAP",
                "SOURCE",
                "PROBLEM");
        for (CronInfo cron : crons) {
            CronDefinition definition = cron.definition();
            table.row(
                    cron.name(),
                    definition.expression(),
                    definition.zone().equals("Z") ? "UTC" : definition.zone(),
                    next(cron, previews),
                    ages.of(cron.lastTick()),
                    ages.of(cron.pausedAt()),
                    ages.of(cron.goneAt()),
                    misfire(definition),
                    definition.overlap().text(),
                    cron.source().text(),
                    cron.problem().map(problem -> Table.cut(problem, 60)).orElse("-"));
        }
        return table.without("PAUSED", "GONE", "PROBLEM").toString();
    }

    private static String next(CronInfo cron, Previews previews) {
        List<Instant> ticks = previews.of(cron);
        return ticks.isEmpty() ? "-" : ticks.stream().map(Instant::toString).collect(Collectors.joining(", "));
    }

    private static String misfire(CronDefinition definition) {
        String text = definition.misfire().text();
        return definition.misfire() == Misfire.CATCH_UP ? text + "(" + definition.catchUpLimit() + ")" : text;
    }
}
