package dev.muster.function;

/** The connection broke during the commit of a mutation: nobody knows whether it was committed. Muster does not repeat it. */
public final class CommitUnknown extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "outcome_unknown";

    CommitUnknown(String function, Throwable cause) {
        super(
                CODE,
                "the connection broke during the commit of '" + function
                        + "': it may or may not have been committed; look before you call it again",
                cause);
    }
}
