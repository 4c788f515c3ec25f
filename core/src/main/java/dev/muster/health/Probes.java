package dev.muster.health;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The answers to {@code /_api/health} and {@code /_api/ready}, which a node's ports share. */
public final class Probes {
    public static final String HEALTH = "/_api/health";
    public static final String READY = "/_api/ready";

    private final String health;
    private final Supplier<Readiness> readiness;

    /** @param applicationVersion null if it is not known */
    public Probes(Supplier<Readiness> readiness, String version, @Nullable String applicationVersion) {
        this.readiness = readiness;
        this.health = "{\"status\":\"ok\",\"version\":\"" + escape(version) + "\""
                + (applicationVersion == null ? "" : ",\"application_version\":\"" + escape(applicationVersion) + "\"")
                + "}";
    }

    /** Needs no computing. */
    public String health() {
        return health;
    }

    /** Asks the database, which may take a moment. */
    public Readiness readiness() {
        return readiness.get();
    }

    static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                escaped.append('\\').append(c);
            } else if (c < ' ') {
                escaped.append(String.format("\\u%04x", (int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }
}
