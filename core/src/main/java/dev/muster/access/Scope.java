package dev.muster.access;

import dev.muster.internal.runtime.Known;
import dev.muster.runtime.MusterException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a caller may do. Each scope includes the ones before it. */
public enum Scope {
    /** A newer Muster knows it. This version lets its holder do nothing. */
    UNKNOWN,
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

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static Scope stored(String text) {
        return Known.read(values(), Scope::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<Scope> known() {
        return Known.allBut(UNKNOWN, values());
    }

    public boolean includes(Scope wanted) {
        return wanted != UNKNOWN && compareTo(wanted) >= 0;
    }

    /** @throws MusterException if there is no such scope */
    public static Scope parse(String text) {
        return known().stream()
                .filter(scope -> scope.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new MusterException("'" + text + "' is no scope; there are "
                        + known().stream().map(Scope::text).collect(Collectors.joining(", "))));
    }
}
