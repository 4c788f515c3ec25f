package dev.muster.event;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a client can ask for. */
public enum EventTopic {
    /** Jobs that end. */
    JOBS,
    /** The numbers of live jobs. */
    COUNTS,
    /** Runs of workflows. */
    RUNS,
    /** Nodes and leaders. */
    NODES,
    QUEUES,
    CRONS;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is no such topic */
    public static EventTopic parse(String text) {
        return Arrays.stream(values())
                .filter(topic -> topic.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is no topic; there are "
                        + Arrays.stream(values()).map(EventTopic::text).collect(Collectors.joining(", "))));
    }
}
