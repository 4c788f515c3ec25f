package dev.muster.runtime;

/** An observer was asked to change something. */
public final class ObserverRefusal extends MusterException {
    private static final long serialVersionUID = 1L;

    private ObserverRefusal(Object marker, String message) {
        super(message);
    }

    /** The refusal of an observer in another process. */
    public static ObserverRefusal elsewhere(String message) {
        return new ObserverRefusal(message, message);
    }

    /** @param what what it does not do, such as {@code enqueue jobs} */
    public ObserverRefusal(String what) {
        super("this node is an observer (node.mode = observer) and writes nothing: it does not " + what);
    }
}
