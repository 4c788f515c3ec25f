package dev.muster.bench;

/** A figure that a scenario yields. */
record Metric(String name, Unit unit) {

    enum Unit {
        JOBS_PER_SECOND("jobs/s", "%,.0f"),
        MILLISECONDS("ms", "%.2f"),
        /** Processor time of server and JVM together. */
        CPU_MICROSECONDS("µs", "%.1f");

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
            return String.format(java.util.Locale.ROOT, format, value);
        }
    }

    static Metric rate(String name) {
        return new Metric(name, Unit.JOBS_PER_SECOND);
    }

    static Metric cpuMicros(String name) {
        return new Metric(name, Unit.CPU_MICROSECONDS);
    }

    static Metric millis(String name) {
        return new Metric(name, Unit.MILLISECONDS);
    }
}
