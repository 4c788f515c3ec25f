package dev.muster.cli.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Locale;

/** A question to whoever sits at the terminal. */
public final class Question {
    private final PrintWriter err;
    private final Terminal terminal;

    public Question(PrintWriter err) {
        this.err = err;
        this.terminal = new Terminal(err);
    }

    /**
     * Whether somebody is there to answer: standard error, where questions are asked, and standard input, where answers are
     * read, are terminals. Input from a file or a pipe is meant for somebody else, such as a loop of the shell.
     */
    public boolean canBeAsked() {
        return terminal.interactive() && Boolean.getBoolean("muster.terminal.input");
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
