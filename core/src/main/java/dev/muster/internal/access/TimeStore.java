package dev.muster.internal.access;

import java.time.Instant;

/** The database's clock. */
@FunctionalInterface
public interface TimeStore {

    /** @throws dev.muster.runtime.DatabaseUnavailable if the database does not answer */
    Instant now();
}
