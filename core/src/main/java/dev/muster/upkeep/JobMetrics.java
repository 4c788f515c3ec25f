package dev.muster.upkeep;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What became of jobs within some time, from the figures per minute.
 *
 * @param from the beginning of the first minute
 * @param to the end of the last minute that has been counted: usually within the last two minutes
 * @param age how long ago that was, by the database's clock
 * @param of by queue, and within it by job name
 */
public record JobMetrics(Instant from, Instant to, Duration age, List<Row> of) {

    public JobMetrics {
        of = List.copyOf(of);
    }

    /**
     * The jobs of one name in one queue, or all of a queue. Jobs count in the minute in which they ended.
     *
     * @param name empty: all jobs of the queue
     * @param ran how long their handlers ran
     * @param waited from the time they were due to their last start
     * @param depth how many were due and not claimed in the last minute
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

        /** How many ended. */
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
