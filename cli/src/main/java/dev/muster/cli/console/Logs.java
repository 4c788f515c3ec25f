package dev.muster.cli.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much is logged; {@code logback.xml} says where and in which form. */
public final class Logs {
    // The JDK's loggers are held weakly; without this one pgjdbc's level would be forgotten.
    private static final java.util.logging.Logger PGJDBC = java.util.logging.Logger.getLogger("org.postgresql");

    private Logs() {}

    /** For commands that report in their own words: warnings of Muster and nothing else. */
    public static void quiet() {
        PGJDBC.setLevel(java.util.logging.Level.OFF);
        level(Logger.ROOT_LOGGER_NAME, Level.OFF);
        level("dev.muster", Level.WARN);
    }

    /** For nodes: what an operator acts on, each line with the node's id and, if it has one, its name for people. */
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
