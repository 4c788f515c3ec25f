package dev.muster.function;

/** The handler has thrown something that is not meant for the caller. The log has it, with the id of the request. */
public final class FunctionFailed extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "failed";

    FunctionFailed(String function, String requestId, Throwable cause) {
        super(CODE, "'" + function + "' failed; the log of the node has the cause of request " + requestId, cause);
    }
}
