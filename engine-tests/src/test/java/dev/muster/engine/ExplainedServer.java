package dev.muster.engine;

import dev.muster.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of its own that writes down what each statement has done, those inside of functions included: how long it took, or how many pages
 * and rows it has visited, which does not depend on how fast the machine is.
 */
public final class ExplainedServer implements AutoCloseable {
    private static final Pattern DURATION = Pattern.compile("^.*LOG: {2}duration: ([0-9.]+) ms {2}plan:$");
    private static final Pattern NODE =
            Pattern.compile("^\\s*(?:->\\s+)?\\S.*\\(cost=.*|^\\s*(?:->\\s+)?\\S.*\\(actual .*");
    private static final Pattern PAGES = Pattern.compile("shared(?: hit=(\\d+))?(?: read=(\\d+))?");
    private static final Pattern ROWS = Pattern.compile("\\(actual rows=([0-9.]+) loops=(\\d+)\\)");

    /** What is written is what the node below hands on. */
    private static final Pattern WRITTEN = Pattern.compile(
            "(?:Insert|Update|Delete) on [^\\n]*\\n(?:(?!\\s*->)[^\\n]*\\n)*\\s*->[^\\n]*\\(actual rows=([0-9.]+) loops=(\\d+)\\)");

    private final EmbeddedPostgres server;

    /**
     * What one execution of a statement has done.
     *
     * @param pages the most pages that a node of its plan has visited, with the nodes below it
     * @param rows the most rows that a node of its plan has handed on
     * @param written the most rows that it has written to one table
     */
    public record Statement(String text, double millis, long pages, long rows, long written, String plan) {}

    private ExplainedServer(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Notes each statement, with the pages and rows that it visits. */
    public static ExplainedServer counting() {
        return new ExplainedServer(builder(0)
                .setting("auto_explain.log_analyze", "on")
                .setting("auto_explain.log_buffers", "on")
                .setting("auto_explain.log_timing", "off")
                .start());
    }

    /** Notes each statement that takes this long. */
    public static ExplainedServer timing(int millis) {
        return new ExplainedServer(builder(millis).start());
    }

    private static EmbeddedPostgres.Builder builder(int millis) {
        return EmbeddedPostgres.builder()
                .setting("session_preload_libraries", "auto_explain")
                .setting("auto_explain.log_min_duration", String.valueOf(millis))
                .setting("auto_explain.log_nested_statements", "on");
    }

    public EmbeddedPostgres server() {
        return server;
    }

    /** How much was noted up to now: {@link #since} returns what comes after it. */
    public long mark() {
        try {
            return Files.size(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log() {
        return server.dataDirectory().resolve("server.log");
    }

    public List<Statement> since(long mark) {
        byte[] all;
        try {
            all = Files.readAllBytes(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String text = new String(all, (int) mark, (int) (all.length - mark), StandardCharsets.UTF_8);
        List<Statement> found = new ArrayList<>();
        double millis = -1;
        StringBuilder entry = new StringBuilder();
        for (String line : text.split("\n")) {
            if (!line.startsWith("\t")) {
                add(found, millis, entry);
                Matcher begins = DURATION.matcher(line);
                millis = begins.matches() ? Double.parseDouble(begins.group(1)) : -1;
                entry.setLength(0);
            } else {
                entry.append(line.substring(1)).append('\n');
            }
        }
        add(found, millis, entry);
        return found;
    }

    private static void add(List<Statement> found, double millis, StringBuilder entry) {
        if (millis < 0) {
            return;
        }
        StringBuilder text = new StringBuilder();
        StringBuilder plan = new StringBuilder();
        for (String line : entry.toString().split("\n")) {
            (plan.length() > 0 || NODE.matcher(line).matches() ? plan : text)
                    .append(line)
                    .append('\n');
        }
        int parameters = text.indexOf("Query Parameters: ");
        if (parameters >= 0) {
            text.setLength(parameters);
        }
        found.add(new Statement(
                text.toString(), millis, pages(plan), most(ROWS, plan), most(WRITTEN, plan), plan.toString()));
    }

    private static long pages(CharSequence plan) {
        long most = 0;
        Matcher pages = PAGES.matcher(plan);
        while (pages.find()) {
            most = Math.max(most, number(pages.group(1)) + number(pages.group(2)));
        }
        return most;
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static long most(Pattern of, CharSequence plan) {
        double most = 0;
        Matcher rows = of.matcher(plan);
        while (rows.find()) {
            most = Math.max(most, Double.parseDouble(rows.group(1)) * Long.parseLong(rows.group(2)));
        }
        return Math.round(most);
    }

    @Override
    public void close() {
        server.close();
    }
}
