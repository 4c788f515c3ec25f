package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.attempt.ErrorText;
import org.junit.jupiter.api.Test;

class StepFailedTest {
    private static final String STORED = """
            java.lang.IllegalStateException: out of paper
            \tat shop.Printer.print(Printer.java:17)
            Caused by: java.io.IOException: tray 2
            \t... 1 more""";

    @Test
    void theStoredErrorIsTheCauseInItsText() {
        StepFailed failure = new StepFailed("0", "print", STORED);

        String text = ErrorText.of(failure);

        assertThat(text)
                .startsWith(
                        "dev.muster.workflow.StepFailed: step 'print' failed: java.lang.IllegalStateException: out of paper\n\tat dev.muster.workflow.StepFailedTest.")
                .endsWith("\nCaused by: " + STORED);
        assertThat(failure.error()).isEqualTo(STORED);
    }

    @Test
    void anErrorOfOneLineIsInTheMessageAlone() {
        StepFailed failure = new StepFailed("0", "print", "it took too long");

        assertThat(failure).hasMessage("step 'print' failed: it took too long").hasNoCause();
    }
}
