package dev.muster.cli.internal.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Locale;

/** Asks the user at the terminal a question. */
public final class Question {
    /** The system property that is true if standard input is a terminal; set by the launcher script. */
    static final String INPUT = "muster.terminal.input";

    private final PrintWriter err;
    private final Terminal terminal;
    private final boolean answered;

    public Question(PrintWriter err) {
        this(err, new Terminal(err), Boolean.getBoolean(INPUT));
    }

    /** @param answered whether standard input is a terminal */
    Question(PrintWriter err, Terminal terminal, boolean answered) {
        this.err = err;
        this.terminal = terminal;
        this.answered = answered;
    }

    /**
     * Whether a user can answer: standard error, where questions are printed, and standard input, where answers are read, are
     * both terminals. Input from a file or a pipe is not an answer: it may belong to a shell loop, for example.
     */
    public boolean canBeAsked() {
        return terminal.interactive() && answered;
    }

    /** True if the answer is yes. An empty line, or the end of the input, means no. */
    public boolean ask(String question) {
        err.print(question + " [y/N] ");
        err.flush();
        try {
            String answer = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            return answer != null
                    && (answer.strip().equalsIgnoreCase("y")
                            || answer.strip().toLowerCase(Locale.ROOT).equals("yes"));
        } catch (IOException e) {
            return false;
        }
    }
}
