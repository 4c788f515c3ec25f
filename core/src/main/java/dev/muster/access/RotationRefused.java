package dev.muster.access;

import dev.muster.runtime.MusterException;

/** A key that cannot get a successor. */
public final class RotationRefused extends MusterException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    public RotationRefused(String id, Reason reason) {
        super("key " + id + " was not rotated: " + reason.why);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** Why a key cannot get a successor. */
    public enum Reason {
        UNKNOWN("there is no such key"),
        EXPIRED("it has expired; create a new key"),
        REVOKED("it was revoked; create a new key"),
        REPLACED("it has a successor already; rotate that one");

        private final String why;

        Reason(String why) {
            this.why = why;
        }
    }
}
