package dev.muster.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ticks by the fields of an expression, on the wall clock of a zone. It walks through the spans in which the zone's offset is
 * constant: within a span, wall clock and instant differ by that offset only.
 *
 * @param everyHour whether the hours are a wildcard, so that a repeated hour ticks each time
 */
record FieldSchedule(
        BitSet seconds, BitSet minutes, BitSet hours, boolean everyHour, Predicate<LocalDate> days, ZoneId zone)
        implements Schedule {
    private static final int YEARS = 100;

    @Override
    public Optional<Instant> next(Instant after) {
        ZoneRules rules = zone.getRules();
        Instant limit = after.atOffset(ZoneOffset.UTC).plusYears(YEARS).toInstant();
        Instant from = after.plusNanos(1);
        ZoneOffsetTransition begin = rules.previousTransition(from.plusNanos(1));
        if (begin != null && begin.getInstant().equals(from) && begin.isGap() && ticksInGap(begin)) {
            return Optional.of(from);
        }
        while (true) {
            ZoneOffsetTransition end = rules.nextTransition(from);
            Optional<Instant> tick = within(rules.getOffset(from), from, end, begin, limit);
            if (tick.isPresent()) {
                return tick;
            }
            if (end == null || end.getInstant().isAfter(limit)) {
                return Optional.empty();
            }
            if (end.isGap() && ticksInGap(end)) {
                return Optional.of(end.getInstant());
            }
            begin = end;
            from = end.getInstant();
        }
    }

    /** The first tick of a span of constant offset. */
    private Optional<Instant> within(
            ZoneOffset offset,
            Instant from,
            @Nullable ZoneOffsetTransition end,
            @Nullable ZoneOffsetTransition begin,
            Instant limit) {
        LocalDateTime start = LocalDateTime.ofInstant(from, offset);
        if (begin != null && begin.isOverlap() && !everyHour && start.isBefore(begin.getDateTimeBefore())) {
            // These wall-clock hours repeat: they have ticked under the offset before.
            start = begin.getDateTimeBefore();
        }
        Instant stop = end == null || end.getInstant().isAfter(limit) ? limit : end.getInstant();
        return localTick(start, LocalDateTime.ofInstant(stop, offset)).map(tick -> tick.toInstant(offset));
    }

    private boolean ticksInGap(ZoneOffsetTransition gap) {
        return localTick(gap.getDateTimeBefore(), gap.getDateTimeAfter()).isPresent();
    }

    /** The first wall-clock moment in {@code [from, before)} that matches the fields. */
    private Optional<LocalDateTime> localTick(LocalDateTime from, LocalDateTime before) {
        LocalDateTime start = from.getNano() == 0 ? from : from.withNano(0).plusSeconds(1);
        LocalDate day = start.toLocalDate();
        LocalTime time = start.toLocalTime();
        while (!day.isAfter(before.toLocalDate())) {
            if (days.test(day)) {
                LocalTime tick = timeFrom(time);
                if (tick != null) {
                    LocalDateTime found = day.atTime(tick);
                    return found.isBefore(before) ? Optional.of(found) : Optional.empty();
                }
            }
            day = day.plusDays(1);
            time = LocalTime.MIN;
        }
        return Optional.empty();
    }

    private @Nullable LocalTime timeFrom(LocalTime from) {
        for (int hour = hours.nextSetBit(from.getHour()); hour >= 0; hour = hours.nextSetBit(hour + 1)) {
            boolean sameHour = hour == from.getHour();
            int firstMinute = sameHour ? from.getMinute() : 0;
            for (int minute = minutes.nextSetBit(firstMinute); minute >= 0; minute = minutes.nextSetBit(minute + 1)) {
                boolean sameMinute = sameHour && minute == from.getMinute();
                int second = seconds.nextSetBit(sameMinute ? from.getSecond() : 0);
                if (second >= 0) {
                    return LocalTime.of(hour, minute, second);
                }
            }
        }
        return null;
    }
}
