package dev.muster.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "250ms, PT0.25S",
        "5s, PT5S",
        "15m, PT15M",
        "1h, PT1H",
        "7d, P7D",
        "1h30m, PT1H30M",
        "1d2h3m4s5ms, P1DT2H3M4.005S",
        "0s, PT0S",
        "'  5s ', PT5S",
        "90m, PT90M",
    })
    void readsWhatPeopleWrite(String text, Duration expected) {
        assertThat(DurationText.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''        | duration '' is empty; write a number and a unit, such as 250ms, 5s, 15m, 1h30m or 7d",
                "-5s       | duration '-5s' is negative; write a number and a unit, such as 250ms, 5s, 15m, 1h30m or 7d",
                "30        | duration '30' has no unit after 30; write 30s for seconds",
                "1h30      | duration '1h30' has no unit after 30; write 30s for seconds",
                "1.5s      | duration '1.5s' has a fraction; write whole numbers, such as 1500ms for 1.5s",
                "5sec      | duration '5sec' has the unknown unit 'sec'; the units are ms, s, m, h and d",
                "5S        | duration '5S' has the unknown unit 'S'; the units are ms, s, m, h and d",
                "30m1h     | duration '30m1h' must name each unit once, from large to small, such as 250ms, 5s, 15m, 1h30m or 7d",
                "1s1s      | duration '1s1s' must name each unit once, from large to small, such as 250ms, 5s, 15m, 1h30m or 7d",
                "soon      | duration 'soon' is not a duration; write a number and a unit, such as 250ms, 5s, 15m, 1h30m or 7d",
                "1h 30m    | duration '1h 30m' is not a duration; write a number and a unit, such as 250ms, 5s, 15m, 1h30m or 7d",
                "106752d   | duration '106752d' is too long; the longest is 106751d",
                "9223372036854775807d  | duration '9223372036854775807d' is too long; the longest is 106751d",
                "99999999999999999999s | duration '99999999999999999999s' is too long; the longest is 106751d",
            })
    void saysWhatIsWrongWithTheRest(String text, String message) {
        assertThatThrownBy(() -> DurationText.parse(text))
                .isInstanceOf(DurationText.InvalidDuration.class)
                .hasMessage(message);
    }

    @Test
    void theLongestDurationFitsNanoseconds() {
        assertThat(DurationText.parse("106751d").toNanos()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.25S, 250ms",
        "PT60S, 1m",
        "PT90S, 1m30s",
        "PT24H, 24h",
        "PT36H, 36h",
        "PT60H, 2d12h",
        "P7D, 7d",
        "PT-5S, -5s",
        "PT1.0005S, 1s"
    })
    void writesTheShortForm(Duration duration, String expected) {
        assertThat(DurationText.format(duration)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1ms", "1m1ms", "24h", "47h59m", "2d", "106751d23h47m16s854ms", "1h30m"})
    void readsBackWhatItWrites(String text) {
        assertThat(DurationText.format(DurationText.parse(text))).isEqualTo(text);
    }
}
