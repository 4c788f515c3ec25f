package dev.muster.job;

import dev.muster.internal.runtime.Known;
import dev.muster.runtime.MusterException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The states of a job; the package description shows how they follow each other. */
public enum JobStatus {
    WAITING,
    PENDING,
    CLAIMED,
    RUNNING,
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN,
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

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static JobStatus stored(String text) {
        return Known.read(values(), JobStatus::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<JobStatus> known() {
        return Known.allBut(UNKNOWN, values());
    }

    public static JobStatus parse(String text) {
        return known().stream()
                .filter(s -> s.text().equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new MusterException("status '" + text + "' is unknown; allowed are "
                        + known().stream().map(JobStatus::text).collect(Collectors.joining(", "))));
    }
}
