package dev.muster.bench;

import java.util.Locale;

/**
 * A figure that a scenario yields.
 *
 * @param compared whether Muster's is set in relation to that of each other contender
 */
record Metric(String name, Unit unit, boolean compared) {

    enum Unit {
        JOBS_PER_SECOND("jobs/s", "%,.0f"),
        /** So few that decimals matter. */
        SLOW_JOBS_PER_SECOND("jobs/s", "%.1f"),
        RUNS_PER_SECOND("runs/s", "%,.0f"),
        REQUESTS_PER_SECOND("requests/s", "%,.0f"),
        JOBS("jobs", "%,.0f"),
        MILLISECONDS("ms", "%.2f"),
        /** Processor time of server and JVM together. */
        CPU_MICROSECONDS("µs", "%.1f"),
        STATEMENTS_PER_SECOND("per s", "%.2f"),
        MEGABYTES("MB", "%.0f"),
        PERCENT("%", "%.1f");

        private final String label;
        private final String format;

        Unit(String label, String format) {
            this.label = label;
            this.format = format;
        }

        String label() {
            return label;
        }

        String show(double value) {
            return String.format(Locale.ROOT, format, value);
        }
    }

    static Metric rate(String name) {
        return new Metric(name, Unit.JOBS_PER_SECOND, true);
    }

    static Metric cpuMicros(String name) {
        return new Metric(name, Unit.CPU_MICROSECONDS, true);
    }

    /** Of interest for itself. */
    static Metric of(String name, Unit unit) {
        return new Metric(name, unit, false);
    }

    static Metric millis(String name) {
        return of(name, Unit.MILLISECONDS);
    }
}
