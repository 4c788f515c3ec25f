package dev.muster.spring.internal;

import dev.muster.config.ConfigException;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** What to do about an application that did not start, in the words of its properties. */
public final class StartAdvice {
    private StartAdvice() {}

    /** Null if the failure says it itself. */
    public static @Nullable String about(MusterException failure) {
        if (failure instanceof ConfigException) {
            return "Correct these properties. A setting such as worker.drain_timeout is the property muster.worker.drain-timeout.";
        }
        if (failure instanceof DatabaseUnavailable) {
            return "Check spring.datasource.url, spring.datasource.username and spring.datasource.password, or those of muster.database if you"
                    + " set them, and that PostgreSQL is running there.";
        }
        return null;
    }
}
