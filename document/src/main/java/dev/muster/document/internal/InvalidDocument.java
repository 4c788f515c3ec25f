package dev.muster.document.internal;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/**
 * JSON that is not the document it should be. The message begins with where it is, such as {@code jobs[3].priority}.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class InvalidDocument extends MusterException {
    private static final long serialVersionUID = 1L;

    private final String where;

    /** @param where where in the document; empty for the document as a whole */
    public InvalidDocument(String where, String problem) {
        this(where, problem, null);
    }

    public InvalidDocument(String where, String problem, @Nullable Throwable cause) {
        super(where.isEmpty() ? problem : where + ": " + problem, cause);
        this.where = where;
    }

    /** Where in the document, such as {@code jobs[3].priority}; empty for the document as a whole. */
    public String where() {
        return where;
    }
}
