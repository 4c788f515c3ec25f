package dev.muster.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import org.junit.jupiter.api.Test;

/** Whatever a handler throws, its job gets an error that the database can store. */
class ErrorTextTest {

    @Test
    void itHasTypeMessageAndStackTrace() {
        assertThat(ErrorText.of(new IllegalStateException("no")))
                .startsWith("java.lang.IllegalStateException: no\n\tat "
                        + getClass().getName());
    }

    @Test
    void itIsShortenedAndHasNoNul() {
        String text = ErrorText.of(new IllegalStateException("a\0b" + "x".repeat(10_000)));

        assertThat(text)
                .startsWith("java.lang.IllegalStateException: a\uFFFDbxxx")
                .endsWith("x…")
                .hasSize(8_001);
    }

    @Test
    void anExceptionThatCannotBePrintedIsNamed() {
        Exception unprintable = new Exception() {
            private static final long serialVersionUID = 1L;

            @Override
            public void printStackTrace(PrintWriter writer) {
                throw new StackOverflowError();
            }
        };
        assertThat(ErrorText.of(unprintable)).isEqualTo(unprintable.getClass().getName());
    }
}
