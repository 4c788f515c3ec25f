package dev.muster.graph;

import dev.muster.job.JobId;
import dev.muster.runtime.MusterException;
import java.util.UUID;

/** A graph's id: a UUID of version 7. */
public record GraphId(UUID value) {

    /** A new id. */
    public static GraphId next() {
        return new GraphId(JobId.next().value());
    }

    /**
     * Parses the text form of an id, as {@link #toString} returns it.
     *
     * @throws MusterException if the text is not an id
     */
    public static GraphId of(String text) {
        try {
            return new GraphId(JobId.of(text).value());
        } catch (MusterException e) {
            throw new MusterException(
                    "'" + text + "' is not the id of a graph; one looks like 0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11", e);
        }
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
