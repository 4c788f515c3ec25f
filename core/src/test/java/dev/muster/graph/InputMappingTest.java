package dev.muster.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
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
    void resultsTakeTheirPlaces(String inputs, String args) {
        assertThat(assemble(inputs)).isEqualTo(args.replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource({"/lines", "/rows/3", "/rows/-1", "/rows/01", "/rows/x", "/big/0", "/rows/2/x"})
    void aPathThatFindsNothingIsRefused(String path) {
        assertThatThrownBy(() -> assemble("{'from': 'a', 'path': '" + path + "'}"))
                .isInstanceOf(MissingResult.class)
                .hasMessageContaining("parent 'a' has nothing at " + path);
    }
}
