package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.job.JobId;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.JsonCodec.JsonException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code OversizedValuesIT} compares the sizes of random values with those that PostgreSQL prints. */
class StorableJsonTest {

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
                "0.00125e2 | 5",
                "0e5 | 1",
                "-0e5 | 1",
                "0e-3 | 5",
                "-0.0 | 3",
                "1e+2 | 3",
                "1e300 | 301",
                "123 | 3",
                "-1.50 | 5",
                "null | 4",
                "[1e3,true,false,1e2] | 24",
                "[ 1 , 2 ] | 6",
                "[] | 2",
                "{\"a\":1,\"b\":{}} | 17",
                "{\"e1e9\":1e3} | 14",
                "\"1e300\" | 7",
                "\"\\\"1e300\" | 9",
                "[\"\\\\\",1e3] | 12",
                "\"\\u0001\\u001f\" | 14",
                "\"\\n\\u000a\\/\\u0041\\u0022\" | 10",
                "\"é\\u00e9€\\u20ac\" | 12",
                "\"😀\\ud83d\\ude00\" | 10"
            })
    void knowsHowManyBytesPostgresPrints(String json, int bytes) {
        StorableJson storable = StorableJson.of(json);

        assertThat(storable.bytes()).isEqualTo(bytes);
        assertThat(storable.text()).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e1000",
                "[1e131071]",
                "1e-999",
                "1e-131071",
                "0e-16383",
                "0e999999999",
                "-0e999999999",
                "0e99999",
                "1e999999999",
                "1e99999999999",
                "1e00000000000000000001000",
                "{\"a\":-1E+999}",
                "{\"a\":{\"b\":[\"1\",1e1000]}}"
            })
    void refusesANumberThatNoReaderTakes(String json) {
        assertThatThrownBy(() -> StorableJson.of(json))
                .isInstanceOf(JsonException.class)
                .hasMessage("a number has more than 1000 digits when it is written out");
    }

    @Test
    void takesNumbersOfAThousandDigitsAndNoLongerOnes() {
        assertThat(StorableJson.of("1e999").bytes()).isEqualTo(1_000);
        assertThat(StorableJson.of("1e-998").bytes()).isEqualTo(1_000);
        assertThat(StorableJson.of("7".repeat(1_000)).bytes()).isEqualTo(1_000);
        for (String number :
                new String[] {"7".repeat(1_001), "7".repeat(5_000), "0." + "7".repeat(999), "0".repeat(5_000) + "e9"}) {
            assertThatThrownBy(() -> StorableJson.of("[1," + number + "]"))
                    .as(number)
                    .hasMessageContaining("more than 1000 digits");
        }
    }

    @Test
    void takes200LevelsAndNoMore() {
        for (String deepest :
                new String[] {"[".repeat(200) + "]".repeat(200), "{\"a\":[".repeat(100) + "]}".repeat(100)}) {
            assertThat(StorableJson.of(deepest).text()).isEqualTo(deepest);
            assertThatThrownBy(() -> StorableJson.of("[" + deepest + "]"))
                    .isInstanceOf(JsonException.class)
                    .hasMessage("there are more than 200 levels");
        }
        assertThat(StorableJson.of("[" + "[],".repeat(1_000) + "\"" + "[".repeat(1_000) + "\"]")
                        .bytes())
                .as("one beside the other they are no levels, nor in a text")
                .isEqualTo(1 + 4_000 + 1_002 + 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "\"a\\\\u0000\"",
                "\"\\ud83d\\ude00\"",
                "\"😀\"",
                "\"\\n\\\"\\\\\"",
                "\"\\u00e9\"",
                "{\"\\ud83d\\ude00\":\"\"}"
            })
    void takesWhatCanBeStored(String json) {
        assertThat(StorableJson.of(json).text()).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\\u0000\"", "\"\\\\\\u0000\"", "{\"a\\u0000\": 1}", "\"\0\""})
    void refusesNul(String json) {
        assertThatThrownBy(() -> StorableJson.of(json))
                .isInstanceOf(JsonException.class)
                .hasMessage("a text contains the character U+0000, which PostgreSQL cannot store");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\\ud83d\"",
                "\"\\ude00\"",
                "\"\\ud83d \\ude00\"",
                "\"\\ud83d\\ud83d\"",
                "{\"\\ud83d\":1}",
                "[\"\\ud83d\",\"\\ude00\"]"
            })
    void refusesHalfAPair(String json) {
        assertThatThrownBy(() -> StorableJson.of(json))
                .isInstanceOf(JsonException.class)
                .hasMessage("a text contains half a surrogate pair, which PostgreSQL cannot store");
    }

    @Test
    void refusesHalfAPairThatIsNotEscaped() {
        for (String json : new String[] {"\"\uD83D\"", "\"\uD83D" + "\\ude00\"", "\"\\ud83d" + "\uDE00\""}) {
            assertThatThrownBy(() -> StorableJson.of(json)).hasMessageContaining("half a surrogate pair");
        }
    }

    /** Whatever ends in the middle is for the codec to refuse. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\"", "\"\\", "\"\\u", "\"\\u00", "-", "1e", "1e+", "[", "\\u0000"})
    void doesNotFallOverWhatIsNoJson(String text) {
        assertThat(StorableJson.of(text).bytes()).isLessThan(10);
    }

    /** An enqueue pays for one small object, whatever its args are. */
    @Test
    void copiesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        String json = "{\"order\":4711,\"email\":\"ada@example.com\",\"price\":1.5E7,\"note\":\""
                + "\\u00e9 ".repeat(1_000) + "\",\"lines\":[{\"sku\":\"a\\\"b\",\"pieces\":-3}]}";
        int many = 1_000;
        long sum = StorableJson.of(json).bytes();
        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < many; i++) {
            sum += StorableJson.of(json).bytes();
        }
        long allocated = threads.getThreadAllocatedBytes(thread) - before;

        assertThat(sum).isPositive();
        assertThat(allocated / many).as("bytes per text").isLessThanOrEqualTo(32);
    }

    @Test
    void nothingTooLargeIsSealed() {
        JobId job = JobId.next();
        Payloads payloads = new Payloads(PayloadCipher.none());
        StorableJson fits = StorableJson.of("\"" + "é".repeat(StorableJson.MAX_BYTES / 2 - 1) + "\"");

        assertThat(fits.bytes()).isEqualTo(StorableJson.MAX_BYTES);
        assertThat(payloads.seal(job, Kind.ARGS, fits)).isEqualTo(fits.text());
        assertThatThrownBy(() -> payloads.seal(job, Kind.ARGS, StorableJson.of("[" + fits.text() + "]")))
                .isInstanceOf(JsonException.class)
                .hasMessage("the args of job " + job + " would have 1048578 bytes; at most 1048576 are allowed");
    }

    @Test
    void theFormInWhichItComesBackHasThatManyBytes() {
        StorableJson stored = StorableJson.of("{\"bb\":1e3,\"a\":[1,2]}").asStored();

        assertThat(stored.text()).isEqualTo("{\"a\": [1, 2], \"bb\": 1000}");
        assertThat(stored.bytes()).isEqualTo(stored.text().length());
    }
}
