package dev.muster.runtime;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The database stopped answering after a commit was sent, or the work was broken off after a part of it was committed: what was asked for may
 * have been done, wholly or in part. Unlike after any other {@link DatabaseUnavailable}, look before you repeat it, or repeat it with the same key or id.
 */
public class OutcomeUnknown extends DatabaseUnavailable {
    private static final long serialVersionUID = 1L;
    private final transient List<String> createdIds;

    public OutcomeUnknown(String message, @Nullable Throwable cause) {
        this(message, List.of(), cause);
    }

    /** @param createdIds the ids of what exists if it was done */
    public OutcomeUnknown(String message, List<String> createdIds, @Nullable Throwable cause) {
        super(message, cause);
        this.createdIds = List.copyOf(createdIds);
    }

    /** The ids of what exists if it was done; empty if nothing was to be created, or if the ids are not known. */
    public List<String> createdIds() {
        return createdIds;
    }

    /** The same about something that would have this id. */
    public OutcomeUnknown creating(Object id) {
        return new OutcomeUnknown(String.valueOf(getMessage()), List.of(id.toString()), this);
    }
}
