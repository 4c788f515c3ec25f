package dev.muster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretsTest {

    @Test
    void aPasswordIsReadButNeverShown() {
        MusterConfig config = MusterConfig.defaults()
                .with(Map.of(
                        "database.password", "hunter2",
                        "database.url", "jdbc:postgresql://db/shop?user=me&password=hunter2&ssl=true",
                        "database.read_url", "jdbc:postgresql://standby/shop?password=hunter2"));

        assertThat(config.database().password()).contains("hunter2");
        assertThat(config.database().url()).contains("jdbc:postgresql://db/shop?user=me&password=hunter2&ssl=true");
        assertThat(config.entries())
                .filteredOn(entry -> entry.source().equals("builder"))
                .extracting(ConfigEntry::key, ConfigEntry::value, ConfigEntry::secret)
                .containsExactly(
                        tuple("database.url", "jdbc:postgresql://db/shop?user=me&password=******&ssl=true", false),
                        tuple("database.password", "******", true),
                        tuple("database.read_url", "jdbc:postgresql://standby/shop?password=******", false));
        assertThat(config.toString()).contains("database.password=******").doesNotContain("hunter2");
        assertThat(config.database().toString())
                .contains("password=Optional[******]")
                .doesNotContain("hunter2");
    }

    @Test
    void anAbsentOrEmptyPasswordShowsAsNone() {
        MusterConfig config =
                MusterConfig.load(List.of(ConfigSource.environment(Map.of("MUSTER_DATABASE_PASSWORD", ""))));

        assertThat(config.database().password()).isEmpty();
        assertThat(config.entries())
                .filteredOn(entry -> entry.key().equals("database.password"))
                .singleElement()
                .returns("", ConfigEntry::value);
    }

    @Test
    void aPasswordKeepsItsBlanks() {
        assertThat(MusterConfig.defaults()
                        .with("database.password", " a b ")
                        .database()
                        .password())
                .contains(" a b ");
    }

    @Test
    void aRefusedPasswordIsNotShown() {
        assertThatThrownBy(() -> MusterConfig.load(
                        List.of(ConfigSource.of("muster.toml", Map.of("database", Map.of("password", 31337))))))
                .hasMessageContaining("database.password = ****** (from muster.toml) is not text; write it in quotes")
                .hasMessageNotContaining("31337");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://db:5432/shop, jdbc:postgresql://db:5432/shop",
        "jdbc:postgresql://db/shop?password=a, jdbc:postgresql://db/shop?password=******",
        "jdbc:postgresql://db/shop?sslPassword=a&x=1, jdbc:postgresql://db/shop?sslPassword=******&x=1",
        "postgres://me:secret@db:5432/shop, postgres://me:******@db:5432/shop",
        "postgres://me:se@cret@db/shop, postgres://me:******@db/shop",
    })
    void hidesPasswordsInsideUrls(String url, String shown) {
        assertThat(Secrets.hide(url)).isEqualTo(shown);
    }
}
