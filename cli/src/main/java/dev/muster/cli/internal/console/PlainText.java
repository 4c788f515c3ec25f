package dev.muster.cli.internal.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import picocli.CommandLine;

/**
 * A writer whose text cannot control a terminal. What jobs, callers and other systems have written reaches the screen of an operator in many
 * ways, so all output of commands goes through here: control characters, characters that change the direction of a text or cannot be seen, and
 * separators of lines and paragraphs become escapes such as {@code \}{@code u009b}. In JSON, where they can be in strings alone, that is the same
 * value.
 */
public final class PlainText extends PrintWriter {
    private final PrintWriter target;

    PlainText(PrintWriter target) {
        super(new Escaping(target), true);
        this.target = target;
    }

    /** From now on a command and those below it write plain text. */
    public static void guard(CommandLine command) {
        if (!(command.getOut() instanceof PlainText)) {
            command.setOut(new PlainText(command.getOut()));
        }
        if (!(command.getErr() instanceof PlainText)) {
            command.setErr(new PlainText(command.getErr()));
        }
    }

    /** Where Muster itself writes what controls the terminal. */
    static PrintWriter unguarded(PrintWriter writer) {
        return writer instanceof PlainText plain ? plain.target : writer;
    }

    /** Whether a terminal may not get this character. */
    static boolean isEscaped(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL -> character != '\n' && character != '\t' && !isInLineSeparator(character);
            case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static boolean isInLineSeparator(int character) {
        return System.lineSeparator().indexOf(character) >= 0;
    }

    private static final class Escaping extends Writer {
        private final PrintWriter target;

        Escaping(PrintWriter target) {
            this.target = target;
        }

        @Override
        public void write(char[] buffer, int offset, int length) {
            int end = offset + length;
            int written = offset;
            int next;
            for (int at = offset; at < end; at = next) {
                int character = Character.codePointAt(buffer, at, end);
                next = at + Character.charCount(character);
                if (isEscaped(character)) {
                    target.write(buffer, written, at - written);
                    for (int part = at; part < next; part++) {
                        target.write(String.format("\\u%04x", (int) buffer[part]));
                    }
                    written = next;
                }
            }
            target.write(buffer, written, end - written);
        }

        /** Passes on that nobody reads any more. */
        @Override
        public void flush() throws IOException {
            if (target.checkError()) {
                throw new IOException("nobody reads this any more");
            }
        }

        @Override
        public void close() {
            target.close();
        }
    }
}
