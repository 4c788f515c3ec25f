package dev.muster.internal.job.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.ConfigException;
import dev.muster.config.MusterConfig;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.job.JobId;
import dev.muster.job.UnreadablePayload;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadsTest {
    private static final JobId JOB = JobId.next();
    private static final JobId OTHER = JobId.next();

    private final Payloads plain = new Payloads(PayloadCipher.none());
    private final Payloads first = new Payloads(PayloadCipher.aesGcm(Map.of("k1", key(1)), "k1"));
    private final Payloads rotated = new Payloads(PayloadCipher.aesGcm(Map.of("k1", key(1), "k2", key(2)), "k2"));
    private final Payloads second = new Payloads(PayloadCipher.aesGcm(Map.of("k2", key(2)), "k2"));

    private static byte[] key(int fill) {
        byte[] key = new byte[32];
        key[0] = (byte) fill;
        return key;
    }

    @Test
    void theStoredFormIsAnEnvelopeThatNamesItsKey() {
        String stored = first.seal(JOB, Kind.ARGS, StorableJson.of("{\"card\": 4711}"));

        assertThat(stored)
                .matches("\\{\"kid\": \"k1\", \"data\": \"[A-Za-z0-9+/=]+\", \"\\$muster\": \"aes-gcm-1\"}")
                .doesNotContain("4711");
        assertThat(first.open(JOB, Kind.ARGS, stored)).isEqualTo("{\"card\": 4711}");
    }

    @Test
    void withoutKeysOrdinaryValuesAreStoredAsTheyAre() {
        assertThat(plain.seal(JOB, Kind.ARGS, StorableJson.of("{\"a\":1}"))).isEqualTo("{\"a\":1}");
        assertThat(plain.fingerprint("a", "k", "{}")).isNull();
    }

    @Test
    void plainValuesAreReadWithKeysToo() {
        assertThat(first.open(JOB, Kind.ARGS, "{\"a\": 1}")).isEqualTo("{\"a\": 1}");
    }

    @Test
    void valuesCannotBeSwapped() {
        String args = first.seal(JOB, Kind.ARGS, StorableJson.of("1"));

        assertThatThrownBy(() -> first.open(OTHER, Kind.ARGS, args))
                .isInstanceOf(UnreadablePayload.class)
                .hasMessageStartingWith("the args of job " + OTHER + " cannot be decrypted: ");
        assertThatThrownBy(() -> first.open(JOB, Kind.RESULT, args)).isInstanceOf(UnreadablePayload.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$muster\":\"aes-gcm-1\",\"kid\":\"k1\",\"data\":\"AAAA\"}",
                "{\"\\u0024muster\":\"plain\",\"data\":\"null\"}",
                "{ \"$\\u006duster\" : 1 }",
                "{\"$muster\": null}",
            })
    void aValueThatLooksLikeAnEnvelopeComesBackAsItWas(String lookalike) {
        for (Payloads writer : new Payloads[] {plain, first}) {
            String stored = writer.seal(JOB, Kind.ARGS, StorableJson.of(lookalike));

            assertThat(stored).isNotEqualTo(lookalike);
            assertThat(first.open(JOB, Kind.ARGS, stored)).isEqualTo(lookalike);
        }
        assertThat(plain.open(JOB, Kind.ARGS, plain.seal(JOB, Kind.ARGS, StorableJson.of(lookalike))))
                .isEqualTo(lookalike);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"$muster\"", "[{\"$muster\": 1}]", "{\"a\": {\"$muster\": 1}}", "{\"a\": \"\\u0001\"}"})
    void theMarkMattersOnlyAtTheTop(String json) {
        assertThat(plain.seal(JOB, Kind.ARGS, StorableJson.of(json))).isEqualTo(json);
        assertThat(plain.open(JOB, Kind.ARGS, json)).isEqualTo(json);
    }

    /** Nobody can store such a value. */
    @Test
    void aStoredValueTooDeepToBeLookedThroughIsNoEnvelope() {
        String deep = "{\"$muster\": " + "[".repeat(2_000) + "]".repeat(2_000) + "}";

        assertThat(first.open(JOB, Kind.ARGS, deep)).isEqualTo(deep);
    }

    @Test
    void aValueThatIsTooLargeIsShownAsSuchAndNotUsed() {
        for (Payloads payloads : new Payloads[] {plain, first}) {
            assertThat(payloads.open(JOB, Kind.ARGS, TooLarge.TEXT)).isEqualTo(TooLarge.TEXT);
            assertThatThrownBy(() -> payloads.openToRun(JOB, TooLarge.TEXT))
                    .isInstanceOf(JsonException.class)
                    .hasMessageStartingWith("the args of job " + JOB + " cannot be read: more than 4 MB as text");
        }
    }

    @Test
    void aUserCannotWriteWhatStandsForAValueThatIsTooLarge() {
        String stored = plain.seal(JOB, Kind.ARGS, StorableJson.of(TooLarge.TEXT));

        assertThat(TooLarge.is(stored)).isFalse();
        assertThat(plain.openToRun(JOB, stored)).isEqualTo(TooLarge.TEXT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$muster\": \"future-9\", \"iv\": 1}",
                "{\"$muster\": \"aes-gcm-1\", \"kid\": \"k1\", \"data\": \"not base64\"}",
                "{\"$muster\": \"aes-gcm-1\", \"kid\": \"k1\\n\", \"data\": \"AAAA\"}",
                "{\"$muster\": \"aes-gcm-1\", \"kid\": \"k1\", \"data\": \"AAAA\"}",
                "{\"$muster\": 7}",
            })
    void anEnvelopeThatCannotBeReadIsNeverTakenForAValue(String stored) {
        assertThatThrownBy(() -> first.open(JOB, Kind.ARGS, stored)).isInstanceOf(UnreadablePayload.class);
        assertThatThrownBy(() -> plain.open(JOB, Kind.ARGS, stored)).isInstanceOf(UnreadablePayload.class);
    }

    @Test
    void aFingerprintKnowsTheSameArgsHoweverTheyAreWritten() {
        ArgsFingerprint held = first.fingerprint("a", "k", "{\"x\": 1, \"y\": [2]}");

        assertThat(first.fingerprint("a", "k", "{\"y\":[2],\"x\":1}").matches("k1", held.hash()))
                .isTrue();
        assertThat(first.fingerprint("a", "k", "{\"y\":[3],\"x\":1}").matches("k1", held.hash()))
                .isFalse();
    }

    /** A plain hash of a short input could be guessed. */
    @Test
    void whatTheKeyOfARunStandsForIsHashedWithTheEncryptionKey() {
        ArgsFingerprint keyed = first.contentFingerprint("order", "k", "\"Ada\"");

        assertThat(keyed.keyId()).isEqualTo("k1");
        assertThat(keyed.hash())
                .isNotEqualTo(plain.contentFingerprint("order", "k", "\"Ada\"").hash());
        assertThat(keyed.matches(
                        "k1", first.contentFingerprint("order", "k", "\"Ada\"").hash()))
                .isTrue();
    }

    @Test
    void aFingerprintSurvivesARotation() {
        ArgsFingerprint held = first.fingerprint("a", "k", "{}");

        assertThat(rotated.fingerprint("a", "k", "{}").keyId()).isEqualTo("k2");
        assertThat(rotated.fingerprint("a", "k", "{}").matches("k1", held.hash()))
                .isTrue();
        assertThat(rotated.fingerprint("a", "k", "[]").matches("k1", held.hash()))
                .isFalse();
        assertThatThrownBy(() -> second.fingerprint("a", "k", "{}").matches("k1", held.hash()))
                .isInstanceOf(UnreadablePayload.class);
    }

    @Test
    void equalArgsOfOtherKeysOrJobsCannotBeTold() {
        assertThat(first.fingerprint("a", "k", "{}").hash())
                .isNotEqualTo(first.fingerprint("a", "l", "{}").hash())
                .isNotEqualTo(first.fingerprint("b", "k", "{}").hash());
    }

    @Test
    void aCipherThatFailsSaysForWhichJob() {
        Payloads broken = new Payloads(new PayloadCipher() {
            @Override
            public Optional<String> activeKey() {
                return Optional.of("k1");
            }

            @Override
            public Sealed encrypt(byte[] data, byte[] context) {
                throw new IllegalStateException("the KMS is away");
            }

            @Override
            public byte[] decrypt(Sealed sealed, byte[] context) {
                throw new IllegalStateException("the KMS is away");
            }

            @Override
            public byte[] mac(String keyId, byte[] message) {
                throw new IllegalStateException("the KMS is away");
            }
        });

        assertThatThrownBy(() -> broken.seal(JOB, Kind.RESULT, StorableJson.of("1")))
                .isInstanceOf(MusterException.class)
                .hasMessage("the result of job " + JOB + " could not be encrypted: the KMS is away");
        assertThatThrownBy(() -> broken.open(JOB, Kind.ARGS, first.seal(JOB, Kind.ARGS, StorableJson.of("1"))))
                .isInstanceOf(UnreadablePayload.class)
                .hasMessage("the args of job " + JOB + " cannot be decrypted: the KMS is away");
    }

    @Test
    void whereEncryptionIsRequiredNothingPlainIsStoredOrRun() {
        MusterConfig required = MusterConfig.defaults().with("encryption.required", "true");
        assertThatThrownBy(() -> Payloads.of(null, required.encryption()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("encryption.required is true, but there is no key: set encryption.keys");
        assertThatThrownBy(() -> Payloads.of(PayloadCipher.none(), required.encryption()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("has no active key");

        Payloads strict = Payloads.of(
                null,
                required.with("encryption.keys", "k1=" + Base64.getEncoder().encodeToString(key(1)))
                        .encryption());
        assertThat(strict.openToRun(JOB, strict.seal(JOB, Kind.ARGS, StorableJson.of("1"))))
                .isEqualTo("1");
        assertThat(strict.openToRun(JOB, "null")).as("no args at all").isEqualTo("null");
        assertThat(strict.open(JOB, Kind.RESULT, "1")).as("looking").isEqualTo("1");
        for (String stored :
                new String[] {"1", "{}", plain.seal(JOB, Kind.ARGS, StorableJson.of("{\"$muster\": 1}"))}) {
            assertThatThrownBy(() -> strict.openToRun(JOB, stored))
                    .isInstanceOf(UnreadablePayload.class)
                    .hasMessage("the args of job " + JOB
                            + " are stored in plain text, which encryption.required does not allow here");
            assertThatThrownBy(() -> strict.openCron(JOB, "nightly", stored))
                    .hasMessageStartingWith("the args of cron 'nightly' are stored in plain text");
            assertThat(plain.openToRun(JOB, stored)).isNotNull();
        }
    }

    @Test
    void aCipherAndKeysAreOneTooMany() {
        MusterConfig config = MusterConfig.defaults()
                .with("encryption.keys", "k1=" + Base64.getEncoder().encodeToString(key(1)));

        assertThatThrownBy(() -> Payloads.of(PayloadCipher.none(), config.encryption()))
                .hasMessageContaining("both given");
        assertThat(Payloads.of(null, config.encryption())
                        .open(JOB, Kind.ARGS, first.seal(JOB, Kind.ARGS, StorableJson.of("1"))))
                .isEqualTo("1");
    }
}
