package dev.muster.job.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.JsonCodec.JsonException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoredLengthTest {

    /** As PostgreSQL prints them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "1e3 | 4",
                "-1E3 | 5",
                "1.5e1 | 2",
                "1.50e1 | 4",
                "1e-3 | 5",
                "-12.5e-1 | 5",
                "0e5 | 1",
                "0e-3 | 5",
                "1e+2 | 3",
                "1e300 | 301",
                "[1e3,true,false,1e2] | 21",
                "{\"e1e9\":1e3} | 13",
                "\"1e300\" | 7",
                "\"\\\"1e300\" | 9",
                "[\"\\\\\",1e3] | 11",
                "123 | 3"
            })
    void countsTheDigitsOfNumbersThatAreWrittenOut(String json, int length) {
        assertThat(StoredLength.of(json)).isEqualTo(length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e1000", "[1e131071]", "1e-999", "1e999999999", "1e99999999999", "{\"a\":-1E+999}"})
    void refusesANumberThatNoReaderTakes(String json) {
        assertThatThrownBy(() -> StoredLength.of(json))
                .isInstanceOf(JsonException.class)
                .hasMessage("a number has more than 1000 digits when it is written out");
    }

    @Test
    void takesWhatReadersTake() {
        assertThat(StoredLength.of("1e999")).isEqualTo(1_000);
        assertThat(StoredLength.of("1e-998")).isEqualTo(1_000);
    }
}
