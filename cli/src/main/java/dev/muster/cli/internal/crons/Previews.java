package dev.muster.cli.internal.crons;

import dev.muster.runtime.MusterException;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Crons;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The coming ticks of crons; none while a cron is paused or gone. */
record Previews(Crons crons, int count) {

    List<Instant> of(CronInfo cron) {
        if (cron.pausedAt().isPresent() || cron.goneAt().isPresent()) {
            return List.of();
        }
        try {
            if (cron.nextTick().isEmpty()) {
                return crons.next(cron.name(), count);
            }
            Instant first = cron.nextTick().get();
            List<Instant> ticks = new ArrayList<>(List.of(first));
            ticks.addAll(cron.next(first, count - 1));
            return ticks;
        } catch (MusterException e) {
            // The cron was deleted meanwhile, or a newer version wrote it; the list shows the others.
            return List.of();
        }
    }
}
