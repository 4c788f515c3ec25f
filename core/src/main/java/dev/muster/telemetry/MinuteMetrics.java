package dev.muster.telemetry;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How many jobs ended in each minute of a period, and how long they took, by queue.
 *
 * @param from the beginning of the first minute
 * @param to the end of the last minute that has been counted: usually within the last two minutes
 * @param queues those with the most jobs, sorted by name
 */
public record MinuteMetrics(Instant from, Instant to, List<Queue> queues) {

    public MinuteMetrics {
        queues = List.copyOf(queues);
    }

    /** @param minutes all minutes of the period in their order, zeros where no job of the queue ended */
    public record Queue(String name, List<Minute> minutes) {
        public Queue {
            minutes = List.copyOf(minutes);
        }
    }

    /**
     * The jobs that ended in a minute.
     *
     * @param minute its beginning
     * @param ran how long the handlers ran; empty if none did
     * @param waited the time from when a job was due to its last start
     * @param depth how many jobs were due but not claimed at its end; empty if that was not counted
     */
    public record Minute(
            Instant minute,
            long completed,
            long failed,
            long cancelled,
            long expired,
            Optional<Times> ran,
            Optional<Times> waited,
            Optional<Long> depth) {

        /** A minute in which no job ended, and at whose end none was due. */
        public static Minute empty(Instant minute) {
            return new Minute(minute, 0, 0, 0, 0, Optional.empty(), Optional.empty(), Optional.of(0L));
        }
    }

    /** Percentiles in milliseconds. For several queues: the mean of theirs, weighted by their jobs. */
    public record Times(double p50, double p95) {}
}
