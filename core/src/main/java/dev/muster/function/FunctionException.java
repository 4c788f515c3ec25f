package dev.muster.function;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** A call of a function was refused, or failed. The message is for the caller, and says nothing of the inside. */
public abstract sealed class FunctionException extends MusterException
        permits UnknownFunction,
                NotServed,
                CallRefused,
                TooManyCalls,
                InvalidArgs,
                FunctionTimeout,
                FunctionError,
                FunctionFailed,
                FunctionUnavailable,
                CallConflict,
                CommitUnknown {
    private static final long serialVersionUID = 1L;
    private final String code;

    FunctionException(String code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** One word for programs, such as {@code unknown_function}. */
    public final String code() {
        return code;
    }
}
