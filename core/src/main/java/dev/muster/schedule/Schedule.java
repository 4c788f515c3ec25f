package dev.muster.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** When a cron ticks. A tick is an instant; only the expression has a time zone. */
public sealed interface Schedule permits FieldSchedule, FixedRate {

    /** The first tick after this instant; empty if there is none within a hundred years. */
    Optional<Instant> next(Instant after);

    /**
     * Reads 5 fields, 6 fields (seconds first) or a macro.
     *
     * @throws InvalidCron if the expression is none of them, or never ticks
     */
    static Schedule parse(String expression, ZoneId zone) {
        Schedule schedule = ScheduleParser.parse(expression, zone);
        if (schedule.next(Instant.EPOCH).isEmpty()) {
            throw new InvalidCron("cron '" + expression.strip() + "' never ticks: no month it names has such a day");
        }
        return schedule;
    }

    /** The next {@code count} ticks after this instant. */
    default List<Instant> next(Instant after, int count) {
        List<Instant> ticks = new ArrayList<>(count);
        Optional<Instant> tick = next(after);
        while (tick.isPresent() && ticks.size() < count) {
            ticks.add(tick.get());
            tick = next(tick.get());
        }
        return ticks;
    }

    /**
     * The last ticks of a span, both ends included, oldest first. It looks back from the end step by step, so that a long span
     * with many ticks costs no more than a short one.
     */
    default List<Instant> last(Instant from, Instant to, int count) {
        for (Duration back = Duration.ofMinutes(1); ; back = back.multipliedBy(8)) {
            Instant start = to.minus(back);
            boolean all = !start.isAfter(from);
            List<Instant> ticks = between(all ? from : start, to);
            if (all || ticks.size() >= count) {
                return ticks.subList(Math.max(0, ticks.size() - count), ticks.size());
            }
        }
    }

    private List<Instant> between(Instant from, Instant to) {
        List<Instant> ticks = new ArrayList<>();
        Optional<Instant> tick = next(from.minusNanos(1));
        while (tick.isPresent() && !tick.get().isAfter(to)) {
            ticks.add(tick.get());
            tick = next(tick.get());
        }
        return ticks;
    }
}
