package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.CronDocument;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Crons;
import java.util.List;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The cron that a command pauses or resumes. */
final class OneCron {
    @Parameters(paramLabel = "NAME", description = "The cron's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    /**
     * Applies the action to the cron, and prints the result.
     *
     * @param audited as what
     */
    void steer(String audited, BiFunction<Crons, String, CronInfo> action) {
        try (Session session = Session.open(settings)) {
            Crons crons = session.cluster().crons();
            CronInfo cron = session.audited(audited, name, () -> action.apply(crons, name));
            Previews previews = new Previews(crons, 1);
            output.print(
                    () -> CronDocument.write(cron, previews.of(cron)), () -> CronText.table(List.of(cron), previews));
        }
    }
}
