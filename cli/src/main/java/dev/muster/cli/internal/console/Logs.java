package dev.muster.cli.internal.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets how much is logged; {@code logback.xml} sets where and in which form. */
public final class Logs {
    // The JDK holds loggers weakly; without this reference, pgjdbc's level would be lost.
    private static final java.util.logging.Logger PGJDBC = java.util.logging.Logger.getLogger("org.postgresql");

    private Logs() {}

    /** For commands that print their own messages: logs only warnings of Muster. */
    public static void quiet() {
        PGJDBC.setLevel(java.util.logging.Level.OFF);
        level(Logger.ROOT_LOGGER_NAME, Level.OFF);
        level("dev.muster", Level.WARN);
    }

    /** For nodes: each line has the node's id and, if it has one, its display name. */
    public static void node(String id, Optional<String> name) {
        context().putProperty("node", id + name.map(Logs::named).orElse(""));
        level(Logger.ROOT_LOGGER_NAME, Level.WARN);
        level("dev.muster", Level.INFO);
        level("com.zaxxer.hikari", Level.ERROR);
    }

    private static String named(String name) {
        boolean oneWord = name.chars().noneMatch(c -> Character.isWhitespace(c) || c == '"' || c == '=');
        return " name=" + (oneWord ? name : '"' + name.replace("\"", "'") + '"');
    }

    private static void level(String logger, Level level) {
        context().getLogger(logger).setLevel(level);
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }
}
