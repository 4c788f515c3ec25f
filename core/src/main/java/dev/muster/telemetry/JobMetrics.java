package dev.muster.telemetry;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How many jobs ended in a period, and how long they took, from the metrics of each minute.
 *
 * @param from the beginning of the first minute
 * @param to the end of the last minute that has been counted: usually within the last two minutes
 * @param age how long ago {@code to} was, by the database's clock
 * @param of the rows, sorted by queue and job name
 */
public record JobMetrics(Instant from, Instant to, Duration age, List<Row> of) {

    public JobMetrics {
        of = List.copyOf(of);
    }

    /**
     * The jobs with one name in one queue, or all jobs of a queue. A job counts in the minute in which it ended.
     *
     * @param name the job name; empty for all jobs of the queue
     * @param ran how long the handlers ran
     * @param waited the time from when a job was due to its last start
     * @param depth how many jobs were due but not claimed in the last minute
     */
    public record Row(
            String queue,
            Optional<String> name,
            long completed,
            long failed,
            long cancelled,
            long expired,
            Optional<Percentiles> ran,
            Optional<Percentiles> waited,
            long depth) {

        /** How many jobs ended. */
        public long ended() {
            return completed + failed + cancelled + expired;
        }
    }

    /**
     * The mean of the minutes' percentiles, weighted by the jobs of each minute, in milliseconds.
     *
     * @param worst the highest p95 of a minute
     */
    public record Percentiles(double p50, double p95, double worst) {}
}
