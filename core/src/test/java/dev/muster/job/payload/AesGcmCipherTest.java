package dev.muster.job.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.muster.job.UnreadablePayload;
import dev.muster.job.payload.PayloadCipher.Sealed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AesGcmCipherTest {
    private static final byte[] PLAIN = bytes("{\"card\": 4711}");
    private static final byte[] CONTEXT = bytes("job-1/args");

    private final PayloadCipher first = PayloadCipher.aesGcm(Map.of("k1", key(1)), "k1");

    private static byte[] key(int fill) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) fill);
        return key;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whatIsEncryptedComesBackAndLooksDifferentEachTime() {
        Sealed sealed = first.encrypt(PLAIN, CONTEXT);
        Sealed again = first.encrypt(PLAIN, CONTEXT);

        assertThat(first.decrypt(sealed, CONTEXT)).isEqualTo(PLAIN);
        assertThat(sealed.scheme()).isEqualTo("aes-gcm-1");
        assertThat(sealed.keyId()).isEqualTo("k1");
        assertThat(sealed.data()).hasSize(12 + PLAIN.length + 16).isNotEqualTo(again.data());
    }

    @Test
    void emptyTextIsEncryptedToo() {
        assertThat(first.decrypt(first.encrypt(new byte[0], CONTEXT), CONTEXT)).isEmpty();
    }

    @Test
    void aChangeOfAnyByteIsNoticed() {
        Sealed sealed = first.encrypt(PLAIN, CONTEXT);
        for (int i = 0; i < sealed.data().length; i++) {
            byte[] changed = sealed.data().clone();
            changed[i] ^= 1;
            assertUnreadable(first, new Sealed(sealed.scheme(), "k1", changed), CONTEXT);
        }
        for (int length = 0; length < sealed.data().length; length++) {
            assertUnreadable(first, new Sealed(sealed.scheme(), "k1", Arrays.copyOf(sealed.data(), length)), CONTEXT);
        }
    }

    @Test
    void aValueOpensOnlyWhereItBelongs() {
        assertUnreadable(first, first.encrypt(PLAIN, CONTEXT), bytes("job-2/args"));
        assertUnreadable(first, first.encrypt(PLAIN, CONTEXT), bytes("job-1/result"));
    }

    @Test
    void anotherKeyOfTheSameNameOpensNothing() {
        PayloadCipher other = PayloadCipher.aesGcm(Map.of("k1", key(2)), "k1");

        assertUnreadable(other, first.encrypt(PLAIN, CONTEXT), CONTEXT);
        assertThat(other.mac("k1", PLAIN)).isNotEqualTo(first.mac("k1", PLAIN));
    }

    @Test
    void aMissingKeyIsNamed() {
        PayloadCipher other = PayloadCipher.aesGcm(Map.of("k2", key(2), "k3", key(3)), "k2");
        Sealed sealed = first.encrypt(PLAIN, CONTEXT);

        UnreadablePayload refused = catchThrowableOfType(UnreadablePayload.class, () -> other.decrypt(sealed, CONTEXT));

        assertThat(refused.keyId()).isEqualTo("k1");
        assertThat(refused).hasMessageContaining("'k1'").hasMessageContaining("(k2, k3)");
        assertThatThrownBy(() -> other.mac("k1", PLAIN)).isInstanceOf(UnreadablePayload.class);
        assertThatThrownBy(() -> PayloadCipher.none().decrypt(sealed, CONTEXT))
                .isInstanceOf(UnreadablePayload.class)
                .hasMessageContaining("'k1'");
    }

    @Test
    void anUnknownSchemeIsNotTried() {
        Sealed sealed = first.encrypt(PLAIN, CONTEXT);

        assertThatThrownBy(() -> first.decrypt(new Sealed("aes-gcm-2", "k1", sealed.data()), CONTEXT))
                .isInstanceOf(UnreadablePayload.class)
                .hasMessageContaining("aes-gcm-2");
    }

    @Test
    void afterARotationTheOldKeyStillDecryptsAndTheNewOneEncrypts() {
        PayloadCipher rotated = PayloadCipher.aesGcm(Map.of("k1", key(1), "k2", key(2)), "k2");
        Sealed old = first.encrypt(PLAIN, CONTEXT);

        assertThat(rotated.decrypt(old, CONTEXT)).isEqualTo(PLAIN);
        assertThat(rotated.encrypt(PLAIN, CONTEXT).keyId()).isEqualTo("k2");
        assertThat(rotated.mac("k1", PLAIN)).isEqualTo(first.mac("k1", PLAIN));
        assertThat(rotated.mac("k2", PLAIN)).isNotEqualTo(first.mac("k1", PLAIN));
    }

    @Test
    void badKeysAreRefusedWithoutShowingThem() {
        assertThatThrownBy(() -> PayloadCipher.aesGcm(Map.of("k1", new byte[16]), "k1"))
                .hasMessage("key 'k1' has 16 bytes; 32 are needed");
        assertThatThrownBy(() -> PayloadCipher.aesGcm(Map.of("k1", key(1)), "k2"))
                .hasMessage("the active key 'k2' is none of [k1]");
    }

    private static void assertUnreadable(PayloadCipher cipher, Sealed sealed, byte[] context) {
        assertThatThrownBy(() -> cipher.decrypt(sealed, context))
                .isInstanceOf(UnreadablePayload.class)
                .hasMessageContaining("'k1'");
    }
}
