package dev.muster.job.payload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnstorableTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "\"a\\\\u0000\"",
                "\"\\ud83d\\ude00\"",
                "\"😀\"",
                "\"\\n\\\"\\\\\"",
                "\"\\u00e9\"",
                "\\u12",
                "\\uzzzz",
                "\\"
            })
    void findsNothingInWhatCanBeStored(String json) {
        assertThat(UnstorableText.in(json)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\\u0000\"", "\"\\\\\\u0000\"", "{\"a\\u0000\": 1}"})
    void findsNul(String json) {
        assertThat(UnstorableText.in(json)).contains("the character U+0000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83d \\ude00\"", "\"\\ud83d\\ud83d\""})
    void findsBrokenSurrogates(String json) {
        assertThat(UnstorableText.in(json)).contains("half a surrogate pair");
    }

    @Test
    void findsAnUnescapedBrokenSurrogate() {
        assertThat(UnstorableText.in("\"\uD83D\"")).contains("half a surrogate pair");
        assertThat(UnstorableText.in("\"\uD83D" + "\\ude00\"")).contains("half a surrogate pair");
        assertThat(UnstorableText.in("\"\\ud83d" + "\uDE00\"")).contains("half a surrogate pair");
    }
}
