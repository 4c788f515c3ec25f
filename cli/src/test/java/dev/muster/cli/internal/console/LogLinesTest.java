package dev.muster.cli.internal.console;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@code muster} writes for a log record: one line, which collectors read as one record. */
class LogLinesTest {
    private final LoggerContext context = new LoggerContext();

    @BeforeEach
    void configure() throws Exception {
        context.setMDCAdapter(new LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(LogLinesTest.class.getResource("/logback.xml"));
    }

    private String written(String message, @Nullable Throwable exception) {
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ConsoleAppender<ILoggingEvent> appender = (ConsoleAppender<ILoggingEvent>) root.getAppender("stderr");
        LoggingEvent event = new LoggingEvent("test", root, Level.WARN, message, exception, null);
        return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
    }

    @Test
    void aMessageOfSeveralLinesIsOne() {
        context.putProperty("node", "n1");

        String line = written(
                "loop=control failing: FATAL: not yet accepting connections\n  Detail: no consistent state\r\n  Where: here",
                new IllegalStateException("refused\nreally"));

        assertThat(line.strip())
                .contains(
                        " level=WARN node=n1 loop=control failing: FATAL: not yet accepting connections"
                                + " | Detail: no consistent state | Where: here ",
                        "IllegalStateException: refused | really")
                .doesNotContain("\n", "\r");
        assertThat(line).endsWith("\n");
    }

    @Test
    void aProgramThatIsNoNodeNamesNone() {
        assertThat(written("hello", null)).contains(" level=WARN hello").doesNotContain("node=");
    }
}
