package dev.muster.access;

import dev.muster.runtime.MusterException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a caller may do. Each scope includes the ones before it. */
public enum Scope {
    /** Look at everything. */
    READ,
    /** Use the cluster as a program does: enqueue, cancel and retry jobs, start and signal workflows, call mutations. */
    WRITE,
    /** Operate the cluster: pause queues, drain nodes, manage keys. */
    ADMIN;

    /** The name in tables, settings and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean includes(Scope wanted) {
        return compareTo(wanted) >= 0;
    }

    /** @throws MusterException if there is no such scope */
    public static Scope parse(String text) {
        return Arrays.stream(values())
                .filter(scope -> scope.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new MusterException("'" + text + "' is no scope; there are "
                        + Arrays.stream(values()).map(Scope::text).collect(Collectors.joining(", "))));
    }
}
