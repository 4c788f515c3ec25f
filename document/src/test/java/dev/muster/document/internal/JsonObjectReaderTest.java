package dev.muster.document.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.Priority;
import dev.muster.testing.Allocated;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class JsonObjectReaderTest {
    private static JsonObjectReader fields(String text) {
        return JsonObjectReader.read(text);
    }

    private static void assertRefused(String text, Consumer<JsonObjectReader> read, String message) {
        assertThatThrownBy(() -> read.accept(fields(text)))
                .isInstanceOf(InvalidDocument.class)
                .hasMessage(message);
    }

    @Test
    void readsEachKind() {
        JsonObjectReader fields = fields("""
                {"t": "x", "i": -7, "l": 9223372036854775807, "d": 0.5, "f": true, "at": "2026-03-01T12:00:00.5Z",
                 "in": "1h30m", "ms": 1500, "tags": ["a", "b"], "m": {"k": "v"}, "o": {"x": 1}, "list": [{"x": 1}],
                 "n": null}""");

        assertThat(fields.text("t")).isEqualTo("x");
        assertThat(fields.integer("i")).isEqualTo(-7);
        assertThat(fields.longNumber("l")).isEqualTo(Long.MAX_VALUE);
        assertThat(fields.decimal("d")).isEqualTo(0.5);
        assertThat(fields.flag("f")).isTrue();
        assertThat(fields.optionalInstant("at")).contains(Instant.parse("2026-03-01T12:00:00.5Z"));
        assertThat(fields.optionalDuration("in")).contains(Duration.ofMinutes(90));
        assertThat(fields.optionalMillis("ms")).contains(Duration.ofMillis(1500));
        assertThat(fields.texts("tags")).containsExactly("a", "b");
        assertThat(fields.textsByName("m")).isEqualTo(Map.of("k", "v"));
        assertThat(fields.object("o").integer("x")).isEqualTo(1);
        assertThat(fields.list("list")).hasSize(1);
        for (String missing : List.of("n", "none")) {
            assertThat(fields.has(missing)).isFalse();
            assertThat(fields.optionalText(missing)).isEmpty();
            assertThat(fields.optionalInteger(missing)).isEmpty();
            assertThat(fields.optionalFlag(missing)).isEmpty();
            assertThat(fields.texts(missing)).isEmpty();
            assertThat(fields.list(missing)).isEmpty();
            assertThat(fields.optionalObject(missing)).isEmpty();
            assertThat(fields.optionalRaw(missing)).isEmpty();
        }
        assertThat(fields.rawEvenIfNull("n")).contains("null");
        assertThat(fields.rawEvenIfNull("none")).isEmpty();
    }

    @Test
    void keepsTheTextOfEmbeddedJson() {
        JsonObjectReader fields =
                fields("{\"jobs\" : [ {\"args\" :  {\"b\": 1.10,\"c\":1e400 , \"a\":\"\\u0041\"} } ]}");

        assertThat(fields.list("jobs").get(0).raw("args")).isEqualTo("{\"b\": 1.10,\"c\":1e400 , \"a\":\"\\u0041\"}");
    }

    @Test
    void refusalsSayWhere() {
        assertRefused("{}", f -> f.text("name"), "name: is missing");
        assertRefused("{\"name\":1}", f -> f.text("name"), "name: must be a text, not a number");
        assertRefused("{\"n\":\"1\"}", f -> f.integer("n"), "n: must be a number, not a text");
        assertRefused(
                "{\"n\":1.5}",
                f -> f.longNumber("n"),
                "n: must be a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE + ", not 1.5");
        assertRefused(
                "{\"n\":2147483648}",
                f -> f.integer("n"),
                "n: must be a whole number from -2147483648 to 2147483647, " + "not 2147483648");
        assertRefused(
                "{\"n\":9223372036854775808}",
                f -> f.longNumber("n"),
                "n: must be a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE
                        + ", not 9223372036854775808");
        assertRefused("{\"n\":1e999}", f -> f.decimal("n"), "n: must be a number from -1.7e308 to 1.7e308, not 1e999");
        assertRefused("{\"f\":\"true\"}", f -> f.flag("f"), "f: must be true or false, not a text");
        assertRefused(
                "{\"t\":\"noon\"}",
                f -> f.instant("t"),
                "t: must be an instant such as 2026-03-01T12:00:00Z, " + "not \"noon\"");
        assertRefused(
                "{\"d\":\"5\"}",
                f -> f.optionalDuration("d"),
                "d: duration '5' has no unit after 5; write 5s for " + "seconds");
        assertRefused("{\"tags\":[\"a\",1]}", f -> f.texts("tags"), "tags[1]: must be a text, not a number");
        assertRefused("{\"tags\":\"a\"}", f -> f.texts("tags"), "tags: must be a list of texts, not a text");
        assertRefused("{\"o\":[]}", f -> f.object("o"), "o: must be an object, not a list");
        assertRefused("{\"l\":{}}", f -> f.list("l"), "l: must be a list of objects, not an object");
        assertRefused("{\"l\":[{},true]}", f -> f.list("l"), "l[1]: must be an object, not true");
        assertThatThrownBy(() -> JsonObjectReader.read("[]")).hasMessage("the document must be an object, not a list");
    }

    @Test
    void refusalsOfNestedFieldsNameTheWholePath() {
        assertRefused(
                "{\"jobs\":[{},{\"priority\":\"urgent\"}]}",
                f -> f.list("jobs").get(1).parsed("priority", Priority::parse),
                "jobs[1].priority: priority 'urgent' is unknown; allowed are background (0), low (25), normal (50), "
                        + "high (75), critical (100)");
        assertRefused("{\"a\":{\"b\":{}}}", f -> f.object("a").object("b").text("c"), "a.b.c: is missing");
    }

    @Test
    void refusesUnknownFields() {
        assertRefused(
                "{\"jobs\":[{\"nmae\":1}]}",
                f -> f.list("jobs").get(0).refuseOthers("name", "queue"),
                "jobs[0].nmae: is no field here; did you mean 'name'? There are name, queue");
        assertRefused(
                "{\"quite_different\":1}",
                f -> f.refuseOthers("name", "queue"),
                "quite_different: is no field here. There are name, queue");
        fields("{\"name\":null}").refuseOthers("name");
    }

    @Test
    void refusesTextsThatTheDatabaseCannotStore() {
        String problem =
                ": must not contain the character NUL or half a surrogate pair, which the database cannot store";
        assertRefused("{\"t\":\"a\\u0000\"}", f -> f.text("t"), "t" + problem);
        assertRefused("{\"tags\":[\"\\ud800\"]}", f -> f.texts("tags"), "tags[0]" + problem);
        assertRefused("{\"m\":{\"k\":\"\\udc00x\"}}", f -> f.textsByName("m"), "m.k" + problem);
        assertRefused("{\"m\":{\"\\u0000\":\"x\"}}", f -> f.textsByName("m"), "m name" + problem);
        assertThat(fields("{\"t\":\"😀\"}").text("t")).isEqualTo("😀");
    }

    @Test
    void aNameOfAMegabyteIsRefusedWithLittleWorkAndAShortMessage() {
        JsonObjectReader fields = fields("{\"" + "a".repeat(1_000_000) + "\": 1}");

        long bytes = Allocated.by(() -> assertThatThrownBy(() -> fields.refuseOthers(JobRequestDocument.fields()))
                .message()
                .hasSizeLessThan(1_000)
                .contains("is no field here"));

        assertThat(bytes).isLessThan(8 << 20);
    }

    @Test
    void aListIsCountedBeforeItIsRead() {
        JsonObjectReader fields = fields("{\"list\": [1, 2, 3], \"text\": \"x\"}");

        assertThat(fields.sizeOf("list")).isEqualTo(3);
        assertThat(fields.sizeOf("text")).isZero();
        assertThat(fields.sizeOf("none")).isZero();
    }
}
