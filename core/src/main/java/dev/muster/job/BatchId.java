package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.UUID;

/** The id of a batch, to which jobs can belong: see {@link JobRequest#batch}. */
public record BatchId(UUID value) {

    /** A new id. */
    public static BatchId next() {
        return new BatchId(JobId.next().value());
    }

    /**
     * Parses the text form of an id, as {@link #toString} returns it.
     *
     * @throws MusterException if the text is not an id
     */
    public static BatchId of(String text) {
        try {
            return new BatchId(JobId.of(text).value());
        } catch (MusterException e) {
            throw new MusterException("'" + text + "' is not the id of a batch", e);
        }
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
