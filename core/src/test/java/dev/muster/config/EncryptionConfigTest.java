package dev.muster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EncryptionConfigTest {
    private static final String ONE = "bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";
    private static final String TWO = "bWF0ZXJpYWwtdHdvLW1hdGVyaWFsLXR3by1tYXQtMjI=";

    private static MusterConfig environment(Map<String, String> environment) {
        return MusterConfig.load(List.of(ConfigSource.environment(environment)));
    }

    private static String refused(Map<String, ?> tree) {
        ConfigException refused = catchThrowableOfType(
                ConfigException.class,
                () -> MusterConfig.load(List.of(ConfigSource.of("muster.toml", Map.of("encryption", tree)))));
        return String.valueOf(refused.getMessage());
    }

    @Test
    void nothingIsEncryptedByDefault() {
        assertThat(MusterConfig.defaults().encryption().activeKey()).isEmpty();
    }

    @Test
    void keysComeFromTheEnvironmentAndAreShownNowhere() {
        MusterConfig config = environment(
                Map.of("MUSTER_ENCRYPTION_KEYS", "k1=" + ONE + ", k2=" + TWO, "MUSTER_ENCRYPTION_ACTIVE", "k2"));

        assertThat(config.encryption().keys()).containsExactly(Map.entry("k1", ONE), Map.entry("k2", TWO));
        assertThat(config.encryption().activeKey()).contains("k2");
        assertThat(config.entries())
                .filteredOn(entry -> entry.key().equals("encryption.keys"))
                .singleElement()
                .returns("******", ConfigEntry::value)
                .returns(true, ConfigEntry::secret);
        assertThat(config + " " + config.entries() + " " + config.encryption())
                .contains("k1=******,k2=******")
                .doesNotContain(ONE)
                .doesNotContain(TWO);
    }

    @Test
    void aSingleKeyIsTheActiveOne() {
        MusterConfig config = environment(Map.of("MUSTER_ENCRYPTION_KEYS", "2026-10=" + ONE));

        assertThat(config.encryption().activeKey()).contains("2026-10");
    }

    @Test
    void keysAreAMapInToml() {
        MusterConfig config = MusterConfig.load(List.of(ConfigSource.of(
                        "muster.toml", Map.of("encryption", Map.of("keys", Map.of("k1", "${KEY_ONE}"))))
                .expanded(Map.of("KEY_ONE", ONE))));

        assertThat(config.encryption().keys()).containsEntry("k1", ONE);
    }

    @Test
    void ofTwoKeysOneMustBeActive() {
        assertThat(refused(Map.of("keys", "k1=" + ONE + ",k2=" + TWO)))
                .contains("encryption.active (not given) does not fit encryption.keys = ****** (from muster.toml):"
                        + " it must be one of k1, k2");
    }

    @Test
    void theActiveKeyMustBeKnown() {
        assertThat(refused(Map.of("keys", Map.of("k1", ONE), "active", "k9")))
                .contains("encryption.active = k9 (from muster.toml) does not fit")
                .contains("it must be one of k1");
        assertThat(refused(Map.of("active", "k9"))).contains("it must be left out, as there are no keys");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bWF0ZXJpYWwtb25l | has an entry, number 1, that is not id=key",
                "bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE= | has an entry, number 1, without a proper id",
                "k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=, | has an entry, number 2, that is not id=key",
                "k1=bWF0ZXJpYWwtb25l | has a key 'k1' of 12 bytes; 32 are needed",
                "k1= | has a key 'k1' of 0 bytes; 32 are needed",
                "k1=bWF0ZXJpYWwtb25l!material | has a key 'k1' that is not base64",
                "k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=,k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE= |"
                        + " has the key 'k1' twice",
            })
    void aBadKeyIsAProblemThatDoesNotShowIt(String keys, String problem) {
        assertThat(refused(Map.of("keys", keys)))
                .contains("encryption.keys = ****** (from muster.toml) " + problem)
                .contains("allowed: a map of ids to 32 random bytes in base64")
                .doesNotContain("bWF0ZXJpYWw");
    }

    @Test
    void aKeyThatIsNotTextIsNotShown() {
        assertThat(refused(Map.of("keys", Map.of("k1", 31337))))
                .contains("that is not text")
                .doesNotContain("31337");
        assertThat(refused(Map.of("keys", 31337))).contains("is not a map").doesNotContain("31337");
    }

    @Test
    void aKeyInTheWrongPlaceIsNotShown() {
        assertThat(refused(Map.of("key", ONE))).contains("encryption.keys").doesNotContain(ONE);
        assertThat(refused(Map.of("active", ONE))).contains("encryption.active").doesNotContain(ONE);
        ConfigException unknown = catchThrowableOfType(
                ConfigException.class, () -> environment(Map.of("MUSTER_ENCYRPTION_KEYS", "k1=" + ONE)));
        assertThat(unknown).hasMessageContaining("MUSTER_ENCRYPTION_KEYS").hasMessageNotContaining(ONE);
    }
}
