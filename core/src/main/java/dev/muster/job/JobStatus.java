package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The states of a job; the package description shows how they follow each other. */
public enum JobStatus {
    WAITING,
    PENDING,
    CLAIMED,
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED,
    EXPIRED;

    /** Whether the job has ended. */
    public boolean isTerminal() {
        return compareTo(COMPLETED) >= 0;
    }

    /** The name in tables and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static JobStatus parse(String text) {
        return Arrays.stream(values())
                .filter(s -> s.text().equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new MusterException("status '" + text + "' is unknown; allowed are "
                        + Arrays.stream(values()).map(JobStatus::text).collect(Collectors.joining(", "))));
    }
}
