package dev.muster.internal.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.attempt.BadArgs;
import dev.muster.internal.graph.InputMapping.Reference;
import dev.muster.testing.Allocated;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Results take their places in inputs. */
class InputMappingTest {
    private static final Map<String, String> RESULTS = Map.of(
            "a", "{\"rows\": [1, 2.50, {\"x/y\": \"z\", \"~\": null}], \"big\": 12345678901234567890123}", "n", "null");

    private static String assemble(String inputs) {
        return InputMapping.assemble(inputs.replace('\'', '"'), parent -> Optional.ofNullable(RESULTS.get(parent)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'from': 'a', 'path': '/rows/0'} | 1",
                "{'r': {'from': 'a', 'path': '/rows/1'}, 's': [{'from': 'a', 'path': '/big'}]} | {'r': 2.50, 's': [12345678901234567890123]}",
                "{'from': 'a', 'path': '/rows/2/x~1y'} | 'z'",
                "{'x': {'from': 'a', 'path': '/rows/2/~0'}} | {'x': null}",
                "{'x': {'from': 'n'}} | {'x': null}",
                "{'x': {'from': 'skipped', 'path': '/deep'}} | {'x': null}",
                "{'x': {'from': 'a', 'to': 'b'}} | {'x': {'to': 'b', 'from': 'a'}}",
                "{'x': {'from': 7}} | {'x': {'from': 7}}",
                "{'x': {'$literal': {'from': 'a'}}} | {'x': {'from': 'a'}}",
                "null | null",
            })
    void resultsTakeTheirPositions(String inputs, String args) {
        assertThat(assemble(inputs)).isEqualTo(args.replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource({"/lines", "/rows/3", "/rows/-1", "/rows/01", "/rows/x", "/big/0", "/rows/2/x"})
    void aPathThatFindsNothingIsRefused(String path) {
        assertThatThrownBy(() -> assemble("{'from': 'a', 'path': '" + path + "'}"))
                .isInstanceOf(MissingResult.class)
                .hasMessageContaining("parent 'a' has nothing at " + path);
    }

    @Test
    void aLongNameIsNotCopiedForEachValueBelowIt() {
        String inputs = "{\"" + "a".repeat(200_000) + "\": [" + "{\"from\": 1}, ".repeat(20_000) + "1]}";

        assertThat(Allocated.by(
                        () -> assertThat(InputMapping.references(inputs)).isEmpty()))
                .isLessThan(256 << 20);
    }

    @Test
    void pathsAreNamedAndShort() {
        String deep = "{'rows': [1, {'" + "b".repeat(1_000) + "': {'from': 'a'}}]}";

        assertThat(InputMapping.references("{'rows': [1, {'x': {'from': 'a'}}]}".replace('\'', '"')))
                .extracting(Reference::where)
                .containsExactly(".rows[1].x");
        assertThat(InputMapping.references(deep.replace('\'', '"')).get(0).where())
                .hasSizeLessThan(200);
        assertThat(InputMapping.references("{\"from\": \"a\"}").get(0).where()).isEmpty();
    }

    @Test
    void aResultCountsAsOftenAsItIsTaken() {
        String large = "\"" + "x".repeat(1 << 20) + "\"";
        String inputs = "[" + "{\"from\": \"a\"}, ".repeat(39) + "{\"from\": \"a\"}]";

        assertThatThrownBy(() -> InputMapping.assemble(inputs, parent -> Optional.of(large)))
                .isInstanceOf(BadArgs.class)
                .hasMessageContaining("named twice counted twice");
        assertThat(InputMapping.assemble("[{\"from\": \"a\"}]", parent -> Optional.of(large)))
                .hasSize(large.length() + 2);
    }

    @Test
    void resultsAreReadAgainOnlySoOften() {
        String large = "[1, \"" + "x".repeat(8 << 20) + "\"]";
        AtomicInteger reads = new AtomicInteger();
        Function<String, Optional<String>> results = parent -> {
            reads.incrementAndGet();
            return Optional.of(large);
        };
        String one = "{\"from\": \"a\", \"path\": \"/0\"}";
        String other = "{\"from\": \"b\", \"path\": \"/0\"}";

        InputMapping.assemble("[" + (one + ", ").repeat(999) + one + "]", results);
        assertThat(reads).as("in a row").hasValue(1);

        String inTurns = "[" + (one + ", " + other + ", ").repeat(500) + one + "]";
        assertThatThrownBy(() -> InputMapping.assemble(inTurns, results))
                .isInstanceOf(BadArgs.class)
                .hasMessageContaining("would have to be read");
        assertThat(reads.get()).as("in turns").isLessThan(100);
    }
}
