package dev.muster.function;

import dev.muster.internal.runtime.Names;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to tell its caller what is wrong. The caller gets code, message and details as they are; a mutation is rolled back.
 *
 * <pre>{@code
 * throw new FunctionError("sold_out", "article 7 is sold out", Map.of("article", 7));
 * }</pre>
 */
public non-sealed class FunctionError extends FunctionException {
    private static final long serialVersionUID = 1L;
    private final transient @Nullable Object details;

    /** With the code {@code failed}. */
    public FunctionError(String message) {
        this(FunctionException.Failed.CODE, message, null);
    }

    public FunctionError(String code, String message) {
        this(code, message, null);
    }

    /**
     * @param code one word for programs, in the letters of names: a-z, 0-9, '_', '.', ':' and '-'
     * @param message for people
     * @param details anything that can be written as JSON
     */
    public FunctionError(String code, String message, @Nullable Object details) {
        super(Names.require("code of an error", code), message, null);
        this.details = details;
    }

    public Optional<Object> details() {
        return Optional.ofNullable(details);
    }
}
