package dev.muster.function;

/** This node does not run functions. */
public final class NotServed extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "not_served";

    NotServed(String name) {
        super(
                CODE,
                "this node does not run the function '" + name
                        + "', because it does not have the role 'function' (node.roles)",
                null);
    }
}
