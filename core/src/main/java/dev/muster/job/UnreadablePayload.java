package dev.muster.job;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** Args or a result cannot be decrypted by this process. Nothing is lost: a process with the key can read them. */
public final class UnreadablePayload extends MusterException {
    private static final long serialVersionUID = 1L;
    private final String keyId;

    public UnreadablePayload(String keyId, String message) {
        this(keyId, message, null);
    }

    public UnreadablePayload(String keyId, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.keyId = keyId;
    }

    /** The key that the value asks for. */
    public String keyId() {
        return keyId;
    }
}
