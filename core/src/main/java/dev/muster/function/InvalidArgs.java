package dev.muster.function;

import org.jspecify.annotations.Nullable;

/** The args of a call do not fit the function. The message says where. */
public final class InvalidArgs extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "invalid_args";

    InvalidArgs(String function, String problem, @Nullable Throwable cause) {
        super(CODE, "the args of '" + function + "' do not fit: " + problem, cause);
    }
}
