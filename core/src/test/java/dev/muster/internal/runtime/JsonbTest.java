package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.JsonCodec.JsonException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonbTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                " null | null",
                "[ true , false ] | [true, false]",
                "[] | []",
                "{} | {}",
                "{\"bb\":1,\"a\":2,\"B\":3,\"é\":4} | {\"B\": 3, \"a\": 2, \"bb\": 1, \"é\": 4}",
                "{\"a\":1,\"a\":2} | {\"a\": 2}",
                "\"\\u0041\\/\\u000a\\u001f\\\"\\\\\" | \"A/\\n\\u001f\\\"\\\\\"",
                "\"\\ud83d\\ude00é\" | \"😀é\"",
                "[1e2, 1.50, 1E-2, 1.50e1, 100e-1, 0e5] | [100, 1.50, 0.01, 15.0, 10.0, 0]",
                "1e1000 | 1e1000",
                "[1e131071, 1e-131071] | [1e131071, 1e-131071]",
                "1e999999999 | 1e999999999",
                "1e99999999999 | 1e99999999999",
            })
    void printsAsPostgresDoes(String json, String normal) {
        assertThat(Jsonb.normal(json)).isEqualTo(normal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[1",
                "[1,]",
                "{\"a\"}",
                "{\"a\":}",
                "{a:1}",
                "\"",
                "\"\\x\"",
                "\"\\u00g0\"",
                "\"\\u00",
                "01",
                "-",
                "1.",
                "tru",
                "nul",
                "1 2",
                "NaN",
            })
    void refusesWhatIsNotJson(String text) {
        assertThatThrownBy(() -> Jsonb.read(text)).isInstanceOf(JsonException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1,\"a\":1}",
                "{\"a\":1,\"b\":2,\"\\u0061\":3}",
                "[{\"x\":{\"a\":1,\"a\":2}}]",
                "{\"\":1,\"\":2}"
            })
    void aDocumentHasNoMemberTwice(String text) {
        assertThat(Jsonb.read(text)).as("the last one counts").isNotNull();
        for (Runnable read : List.<Runnable>of(() -> Jsonb.readDocument(text), () -> JsonReader.read(text, 10))) {
            assertThatThrownBy(read::run).isInstanceOf(JsonException.class).hasMessageEndingWith(" twice");
        }
    }

    @Test
    void halfAPairInANameStaysWhatItIs() {
        assertThat(Jsonb.normal("{\"\\ud801\":1,\"\\ud800\":2,\"é\":3}")
                        .chars()
                        .filter(c -> c == '?' || Character.isSurrogate((char) c)))
                .containsExactly(0xd801, 0xd800);
    }

    @Test
    void aLongNameIsShownInPart() {
        String name = "\"" + "a".repeat(1_000) + "\"";
        assertThatThrownBy(() -> Jsonb.readDocument("{" + name + ":1," + name + ":1}"))
                .hasMessage("it has the member \"" + "a".repeat(50) + "…\" twice");
    }

    @Test
    void refusesBottomlessNesting() {
        assertThatThrownBy(() -> Jsonb.read("[".repeat(100_000)))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("levels");
    }
}
