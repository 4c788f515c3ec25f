package dev.muster.job.payload;

import dev.muster.job.UnreadablePayload;
import java.util.Optional;

/** The cipher of a process without keys. */
enum NoCipher implements PayloadCipher {
    INSTANCE;

    @Override
    public Optional<String> activeKey() {
        return Optional.empty();
    }

    @Override
    public Sealed encrypt(byte[] plain, byte[] context) {
        throw new IllegalStateException("there is no active key");
    }

    @Override
    public byte[] decrypt(Sealed sealed, byte[] context) {
        throw noKeys(sealed.keyId());
    }

    @Override
    public byte[] mac(String keyId, byte[] message) {
        throw noKeys(keyId);
    }

    private static UnreadablePayload noKeys(String keyId) {
        return new UnreadablePayload(
                keyId, "it is encrypted with key '" + keyId + "', and this process has no encryption.keys");
    }
}
