package dev.muster.internal.job.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.job.DeadLetter;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailureLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(FailureLog.LOGGER);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong now = new AtomicLong();
    private final FailureLog log = new FailureLog(now::get);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
        log.stop();
    }

    private static DeadLetter deadLetter(String name, Throwable failure) {
        return new DeadLetter(
                JobId.next(),
                name,
                "default",
                3,
                3,
                0,
                "node-1",
                "java.lang.X: boom\n\tat there",
                Optional.of(failure));
    }

    private static FailedAttempt failedAttempt() {
        return new FailedAttempt(
                JobId.next(),
                "mail",
                "default",
                1,
                3,
                "boom",
                Optional.of(new IllegalStateException("boom")),
                Duration.ofSeconds(2));
    }

    private List<String> texts() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aDeadLetterIsAWarningWithItsStack() {
        DeadLetter event = deadLetter("mail", new IllegalStateException("boom"));
        log.deadLetter(event);

        ILoggingEvent line = lines.list.get(0);
        assertThat(line.getLevel()).isEqualTo(Level.WARN);
        assertThat(line.getFormattedMessage())
                .contains("job=" + event.id(), "name=mail", "attempt 3 of 3", "node=node-1", "java.lang.X: boom")
                .doesNotContain("at there");
        assertThat(line.getThrowableProxy().getMessage()).isEqualTo("boom");
    }

    @Test
    void anAttemptThatIsRepeatedIsForDebugging() {
        logger.setLevel(Level.DEBUG);
        log.attemptFailed(failedAttempt());
        assertThat(lines.list.get(0).getLevel()).isEqualTo(Level.DEBUG);
        assertThat(texts().get(0)).contains("attempt 1 of 3 failed, tried again in 2000 ms: boom");
        assertThat(lines.list.get(0).getThrowableProxy()).isNotNull();
    }

    @Test
    void withoutDebuggingOneRepeatedAttemptAMinuteIsMentioned() {
        logger.setLevel(Level.INFO);
        for (int i = 0; i < 1_000; i++) {
            log.attemptFailed(failedAttempt());
        }
        assertThat(texts()).singleElement().asString().contains("name=mail attempt 1 of 3 failed", "2000 ms: boom");
        assertThat(lines.list.get(0).getLevel()).isEqualTo(Level.INFO);
        assertThat(lines.list.get(0).getThrowableProxy()).isNull();

        now.addAndGet(Duration.ofMinutes(1).toNanos());
        log.attemptFailed(failedAttempt());
        assertThat(texts()).hasSize(3);
        assertThat(texts().get(1)).startsWith("and 999 more failed attempts of name=mail within 60 s");
    }

    @Test
    void thousandsAlikeAreSummedUp() {
        for (int i = 0; i < 4_817; i++) {
            log.deadLetter(deadLetter("mail", new IllegalStateException("boom " + i)));
        }
        log.deadLetter(deadLetter("mail", new ArithmeticException("another")));
        log.deadLetter(deadLetter("other", new IllegalStateException("boom")));
        assertThat(texts()).hasSize(7);

        now.addAndGet(FailureLog.WINDOW.toNanos());
        log.deadLetter(deadLetter("mail", new IllegalStateException("later")));
        assertThat(texts()).hasSize(9);
        assertThat(texts().get(7))
                .contains("and 4,812 more dead letters of name=mail with java.lang.IllegalStateException");
    }

    @Test
    void theSumIsSaidAlsoWhenNothingFollows() {
        for (int i = 0; i < 6; i++) {
            log.deadLetter(deadLetter("mail", new IllegalStateException("boom " + i)));
        }
        log.stop();
        assertThat(texts()).last().asString().contains("and 1 more dead letters");
    }

    @Test
    void manyKindsAreBounded() {
        for (int i = 0; i < 3_000; i++) {
            log.deadLetter(deadLetter("job_" + i, new IllegalStateException("boom")));
        }
        assertThat(texts()).hasSize(1_000 + FailureLog.LINES);
    }

    @Test
    void anExceptionThatCannotBePrintedHarmsNothing() {
        log.deadLetter(deadLetter("mail", new IllegalStateException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalArgumentException("no message");
            }
        }));
        assertThat(texts()).last().asString().contains("name=mail");
    }
}
