package dev.muster.internal.schedule;

import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.InvalidCron;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Applies the misfire policy: decides which of the due ticks fire. */
final class DueTicks {
    private DueTicks() {}

    /** A tick to be fired. */
    record Tick(Instant at, boolean isCatchUp) {}

    /**
     * The ticks that fire, oldest first. A tick that is at most {@code allowance} late is in time and fires whatever the policy.
     * Older ticks were missed: {@code SKIP} drops them; {@code FIRE_ONCE} merges them into the next tick that fires, or else into
     * the last missed one; {@code CATCH_UP} fires the latest of them, so many that together with the ticks in time its limit is
     * reached.
     *
     * @param schedule the cron's current schedule; the stored next tick counts too, even if an earlier schedule computed it
     */
    static List<Tick> wanted(CronInfo cron, Schedule schedule, Instant now, Duration allowance) {
        CronDefinition definition = cron.definition();
        Instant from = cron.nextTick().orElseThrow();
        Instant missedBefore = now.minus(allowance);
        int limit = definition.misfire() == Misfire.CATCH_UP ? definition.catchUpLimit() : 1;
        List<Instant> missed = List.of();
        List<Instant> inTime;
        if (from.isBefore(missedBefore)) {
            missed = with(from, limit, schedule.last(from, missedBefore.minusNanos(1), limit));
            inTime = schedule.last(missedBefore, now, Integer.MAX_VALUE);
        } else {
            inTime = with(from, Integer.MAX_VALUE, schedule.last(from, now, Integer.MAX_VALUE));
        }
        return switch (definition.misfire()) {
            case UNKNOWN ->
                throw new InvalidCron("cron '" + cron.name() + "' has a misfire policy that is not known here");
            case SKIP -> ticks(List.of(), inTime);
            case FIRE_ONCE -> fireOnce(missed, inTime);
            case CATCH_UP -> {
                int room = Math.max(0, limit - inTime.size());
                yield ticks(missed.subList(Math.max(0, missed.size() - room), missed.size()), inTime);
            }
        };
    }

    private static List<Instant> with(Instant first, int limit, List<Instant> ticks) {
        if (ticks.size() >= limit || !ticks.isEmpty() && ticks.get(0).equals(first)) {
            return ticks;
        }
        List<Instant> all = new ArrayList<>(List.of(first));
        all.addAll(ticks);
        return all;
    }

    private static List<Tick> fireOnce(List<Instant> missed, List<Instant> inTime) {
        if (inTime.isEmpty()) {
            return missed.isEmpty() ? List.of() : List.of(new Tick(missed.get(missed.size() - 1), true));
        }
        List<Tick> ticks = ticks(List.of(), inTime);
        ticks.set(0, new Tick(inTime.get(0), !missed.isEmpty()));
        return ticks;
    }

    private static List<Tick> ticks(List<Instant> missed, List<Instant> inTime) {
        List<Tick> ticks = new ArrayList<>();
        missed.forEach(at -> ticks.add(new Tick(at, true)));
        inTime.forEach(at -> ticks.add(new Tick(at, false)));
        return ticks;
    }
}
