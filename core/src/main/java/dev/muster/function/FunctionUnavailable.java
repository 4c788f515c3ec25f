package dev.muster.function;

/** The database did not answer, or the connection broke before the commit. The call's transaction has written nothing. */
public final class FunctionUnavailable extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "unavailable";

    FunctionUnavailable(String function, Throwable cause) {
        super(CODE, "'" + function + "' could not use the database; its transaction was not committed", cause);
    }
}
