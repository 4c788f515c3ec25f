package dev.muster.function;

/** The handler has thrown something that is not meant for the caller. The log has it, with the id of the request. */
public final class FunctionFailed extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "failed";

    FunctionFailed(String function, String requestId, Throwable cause) {
        this("'" + function + "' failed; the log of the node has the cause of request " + requestId, cause);
    }

    private FunctionFailed(String message, Throwable cause) {
        super(CODE, message, cause);
    }

    /** The handler of a query has tried to write. */
    static FunctionFailed wrote(String function, Throwable cause) {
        return new FunctionFailed(
                "'" + function + "' is a query and has tried to write, which a query may not do", cause);
    }
}
