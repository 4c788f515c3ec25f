package dev.muster.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Allocated;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    private static final List<String> KNOWN = List.of("send_mail", "send_invoice", "archive");

    @ParameterizedTest
    @CsvSource({
        "send_mial, 1",
        "sendmail, 0",
        "sent_mails, 2",
        "send_mail, 0",
        "'', 8",
    })
    void countsTheSteps(String unknown, int steps) {
        assertThat(Nearest.edits(unknown.replace("_", ""), "sendmail")).isEqualTo(steps);
    }

    @Test
    void suggestsWhatIsSimilar() {
        assertThat(Nearest.suggestion("send_mial", KNOWN)).isEqualTo("; did you mean 'send_mail'?");
        assertThat(Nearest.suggestion("delete", KNOWN)).isEmpty();
    }

    @Test
    void aTextThatIsNoNameTakesNoWork() {
        String text = "a".repeat(1_000_000);

        assertThat(Allocated.by(
                        () -> assertThat(Nearest.suggestion(text, KNOWN)).isEmpty()))
                .isLessThan(1 << 20);
    }

    @Test
    void aTextOfMoreThanAHundredCharactersIsNotCompared() {
        assertThat(Nearest.suggestion("a".repeat(100), List.of("a".repeat(99)))).isNotEmpty();
        assertThat(Nearest.suggestion("a".repeat(101), List.of("a".repeat(100))))
                .isEmpty();
    }

    @Test
    void ofVeryManyNamesNoneIsSuggested() {
        List<String> names =
                IntStream.range(0, 10_000).mapToObj(i -> "task_" + i).toList();

        assertThat(Allocated.by(() ->
                        assertThat(Nearest.suggestion("task_10000", names)).isEmpty()))
                .isLessThan(1 << 20);
    }

    @Test
    void aNameThatIsTooLongIsNotCompared() {
        List<String> known = List.of("a".repeat(1_000_000), "abd");

        assertThat(Allocated.by(
                        () -> assertThat(Nearest.suggestion("abc", known)).isEqualTo("; did you mean 'abd'?")))
                .isLessThan(1 << 20);
    }
}
