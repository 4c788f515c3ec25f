package dev.muster.runtime;

/** A name, an id, or a pattern of names is not well formed. */
public final class InvalidName extends MusterException {
    private static final long serialVersionUID = 1;

    public InvalidName(String message) {
        super(message);
    }
}
