package dev.muster.function;

/** The mutation got in the way of another transaction, as often as it may be repeated, and was rolled back. It can be called again. */
public final class CallConflict extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "conflict";

    CallConflict(String function, Throwable cause) {
        super(
                CODE,
                "'" + function + "' got in the way of another transaction and was rolled back; call it again",
                cause);
    }
}
