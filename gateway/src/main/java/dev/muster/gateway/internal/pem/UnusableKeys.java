package dev.muster.gateway.internal.pem;

/** A file or a document has no keys or certificates that can be used. The message goes after its name. */
public final class UnusableKeys extends Exception {
    private static final long serialVersionUID = 1L;

    public UnusableKeys(String message) {
        super(message);
    }
}
