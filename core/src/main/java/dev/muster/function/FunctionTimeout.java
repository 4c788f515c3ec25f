package dev.muster.function;

import dev.muster.config.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The call took longer than the function's timeout. Its transaction was rolled back. */
public final class FunctionTimeout extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "timeout";

    FunctionTimeout(String function, Duration timeout, @Nullable Throwable cause) {
        super(
                CODE,
                "'" + function + "' did not end within " + DurationText.format(timeout) + "; it was rolled back",
                cause);
    }
}
