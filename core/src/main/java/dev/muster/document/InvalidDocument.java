package dev.muster.document;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/**
 * JSON that is not the document it should be. The message begins with the place, such as {@code jobs[3].priority}.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class InvalidDocument extends MusterException {
    private static final long serialVersionUID = 1L;

    private final String place;

    /** @param place where in the document; empty for the document as a whole */
    public InvalidDocument(String place, String problem) {
        this(place, problem, null);
    }

    public InvalidDocument(String place, String problem, @Nullable Throwable cause) {
        super(place.isEmpty() ? problem : place + ": " + problem, cause);
        this.place = place;
    }

    /** Where in the document, such as {@code jobs[3].priority}; empty for the document as a whole. */
    public String place() {
        return place;
    }
}
