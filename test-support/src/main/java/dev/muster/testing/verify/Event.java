package dev.muster.testing.verify;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a test JVM says: one line of a file, whose fields are separated by tabs. */
sealed interface Event {
    record ClassStarted(String type) implements Event {}

    record ClassEnded(String type, long millis) implements Event {}

    record Passed(String type, String test, long millis) implements Event {}

    record Failed(String type, String test, long millis, String failure) implements Event {}

    record Skipped(String type, String test, String reason) implements Event {}

    /** No test of the class is run. */
    record NothingToRun(String type, String why) implements Event {
        static final String ABSTRACT = "abstract";
        /** All of its tests are long, or run in another module. */
        static final String LEFT_OUT = "left out";

        boolean isRight() {
            return why.equals(ABSTRACT) || why.equals(LEFT_OUT);
        }
    }

    /** The last event: without it the JVM died. */
    record JvmDone() implements Event {}

    /** The event of a line that {@link Writer} wrote. */
    static Event read(String line) {
        String[] fields = line.split("\t", -1);
        Class<?> type = Stream.of(Event.class.getPermittedSubclasses())
                .filter(kind -> kind.getSimpleName().equals(fields[0]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not an event: " + line));
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            String text = unescape(fields[i + 1]);
            types[i] = components[i].getType();
            values[i] = types[i] == long.class ? (Object) Long.valueOf(text) : text;
        }
        try {
            return (Event) type.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private String line() {
        StringBuilder line = new StringBuilder(getClass().getSimpleName());
        try {
            for (RecordComponent component : getClass().getRecordComponents()) {
                line.append('\t')
                        .append(escape(String.valueOf(component.getAccessor().invoke(this))));
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return line.append('\n').toString();
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }

    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                char next = text.charAt(++i);
                plain.append(next == 't' ? '\t' : next == 'n' ? '\n' : next == 'r' ? '\r' : next);
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }

    /** Writes events, each of them at once: whoever reads the file sees them while the JVM runs, and after it was killed. */
    final class Writer implements AutoCloseable {
        private final BufferedWriter file;
        private boolean complete = true;

        Writer(Path path) throws IOException {
            // Names of tests may be no proper Unicode, which this writer replaces, unlike that of Files.
            file = new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(path), StandardCharsets.UTF_8));
        }

        /** Whether every event was written; JUnit only logs what goes wrong in a listener. */
        synchronized boolean complete() {
            return complete;
        }

        synchronized void write(Event event) {
            try {
                file.write(event.line());
                file.flush();
            } catch (IOException e) {
                complete = false;
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
