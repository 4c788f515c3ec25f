package dev.muster.access;

import dev.muster.runtime.MusterException;

/** A key that cannot be created as it was asked for; the message names what is allowed. */
public final class InvalidKeyRequest extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidKeyRequest(String message) {
        super(message);
    }
}
