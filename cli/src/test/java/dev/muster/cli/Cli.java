package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.internal.console.Logs;
import dev.muster.testkit.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command, run inside the test. */
public final class Cli {
    private Cli() {}

    /** What a run left behind. */
    public record Result(int exit, String out, String err) {

        /** The one document on standard output. */
        public JsonNode json() {
            return JsonMapper.shared().readTree(out);
        }

        public Result done() {
            assertThat(exit).as(err).isZero();
            return this;
        }

        /** Ended with this code, said so in a line or two, and printed nothing else. */
        public Result failed(int code, String... words) {
            assertThat(exit).as(out + err).isEqualTo(code);
            assertThat(err).startsWith("muster: ").doesNotContain("\tat ", "Exception");
            assertThat(words).allSatisfy(word -> assertThat(err).contains(word));
            assertThat(out).isEmpty();
            return this;
        }
    }

    /** Runs a command against a test's database. */
    public static Result on(TestDatabase database, String... args) {
        String[] all = Arrays.copyOf(args, args.length + 2);
        all[args.length] = "--url";
        all[args.length + 1] = url(database);
        return run(all);
    }

    /** The URL of a test's database, for commands that wait long enough to be let in on a busy machine. */
    public static String url(TestDatabase database) {
        return database.url() + "&connectTimeout=60";
    }

    public static Result run(String... args) {
        Logs.quiet();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = MusterCommand.createFor(args);
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        int exit = command.execute(args);
        return new Result(exit, out.toString(), err.toString());
    }
}
