package dev.muster.document.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.RawJson;
import dev.muster.testing.Allocated;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"b\":1.10,\"a\":[1e400,-0.0,123456789012345678901234567890],\"\":{}}",
                "[true,false,null,[],\"\\u0000\\\"\\\\\\n\\u001B\\uD800é😀/\"]",
                "\"\\uDC00\\uD83D\"",
                "1E-7",
            })
    void writesWhatItRead(String text) {
        assertThat(Json.write(Json.read(text))).isEqualTo(text);
    }

    @Test
    void laysOutAsTheCommandLineAlwaysDid() {
        assertThat(
                        Json.pretty(
                                Json.read(
                                        "{\"a/b\":\"x\",\"e\":[],\"o\":{},\"l\":[1,[2,{\"x\":1,\"y\":[{\"z\":1},{\"q\":2}]}],{\"a\":1}],\"m\":[[]]}")))
                .isEqualTo("""
                        {
                          "a/b" : "x",
                          "e" : [ ],
                          "o" : { },
                          "l" : [ 1, [ 2, {
                            "x" : 1,
                            "y" : [ {
                              "z" : 1
                            }, {
                              "q" : 2
                            } ]
                          } ], {
                            "a" : 1
                          } ],
                          "m" : [ [ ] ]
                        }""");
    }

    @Test
    void embedsJsonAsItIsAndLaysItOutWithTheRest() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("args", new RawJson("{\"b\": 1.10, \"a\": [1]}"));
        document.put("at", Instant.parse("2026-03-01T12:00:00.123456789Z"));

        assertThat(Json.write(document))
                .isEqualTo("{\"args\":{\"b\": 1.10, \"a\": [1]},\"at\":\"2026-03-01T12:00:00.123456Z\"}");
        assertThat(Json.pretty(document)).isEqualTo("""
                        {
                          "args" : {
                            "b" : 1.10,
                            "a" : [ 1 ]
                          },
                          "at" : "2026-03-01T12:00:00.123456Z"
                        }""");
    }

    @Test
    void writesNumbersOfJavaAndRefusesWhatJsonLacks() {
        assertThat(Json.write(List.of(1, 2L, 0.5, 1e20))).isEqualTo("[1,2,0.5,1.0E20]");
        assertThatThrownBy(() -> Json.write(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Json.write(new Object())).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"a\":\"\n\"}", "\"\\u+123\"", "1 2", "01", "[1,]", "\0", "1\0"})
    void refusesWhatIsNotJson(String text) {
        assertThatThrownBy(() -> Json.read(text))
                .isInstanceOf(InvalidDocument.class)
                .hasMessageStartingWith("the document is not JSON: ");
    }

    @Test
    void refusesMoreLevelsThanAllowed() {
        assertThat(Json.write(Json.read("[[[1]]]", 3))).isEqualTo("[[[1]]]");
        assertThatThrownBy(() -> Json.read("[[[1]]]", 2))
                .isInstanceOf(InvalidDocument.class)
                .hasMessageContaining("more than 2 levels");
        assertThatThrownBy(() -> Json.read("[".repeat(1_000_000))).isInstanceOf(InvalidDocument.class);
    }

    /** Around the length of a piece, so that each of its ends is in a text, behind one, and inside of a structure. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_534, 65_535, 65_536, 65_537, 200_000})
    void bytesAreThoseOfTheText(int length) throws IOException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("a", "x".repeat(length));
        document.put("😀é", List.of("😀".repeat(length), "\n\"".repeat(length), 1, true, List.of(), Map.of()));
        document.put("raw", new RawJson("[\"" + "é".repeat(length) + "\"]"));
        document.put("half", List.of("\uD83D".repeat(length % 1_000), Map.of("b", "y".repeat(length))));

        Utf8Pieces utf8 = Json.utf8(document);

        ByteArrayOutputStream written = new ByteArrayOutputStream();
        utf8.writeTo(written);
        assertThat(written.toByteArray()).isEqualTo(Json.write(document).getBytes(StandardCharsets.UTF_8));
        assertThat(utf8.length()).isEqualTo(written.size());
    }

    /** A list of jobs may have a million of them, and each used to be formatted by itself. */
    @Test
    void controlCharactersCostNoMoreThanTheirText() {
        String text = "\u0001".repeat(100_000);

        long bytes = Allocated.by(() -> Json.write(text));

        assertThat(bytes).isLessThan(10_000_000);
    }

    @Test
    void everyCharacterOfATextIsReadAsItWasWritten() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 0xFFFF; c++) {
            all.append(Character.isSurrogate(c) ? ' ' : c);
        }

        assertThat(Json.read(Json.write(all.toString()))).isEqualTo(all.toString());
        assertThat(Json.write("\u000B\u001F\uDBFF")).isEqualTo("\"\\u000B\\u001F\\uDBFF\"");
    }

    @Test
    void escapesWhatWouldNotBeJson() {
        assertThat(Json.write("plain \"\\\b\f\n\r\t\u0001\u007F/😀 \uDC00 x \uD83D"))
                .isEqualTo("\"plain \\\"\\\\\\b\\f\\n\\r\\t\\u0001\u007F/😀 \\uDC00 x \\uD83D\"");
    }
}
