package dev.muster.cli.console;

import dev.muster.runtime.MusterException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import tools.jackson.databind.JsonNode;

/** The option {@code -o} and what it decides. */
public final class OutputOption {

    /** What commands can print. */
    public enum Format {
        table,
        json
    }

    @Spec(Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table (the default) or json.")
    private Format format;

    public boolean json() {
        return format == Format.json;
    }

    /** Prints one document or one text, as asked for. */
    public void print(Supplier<? extends JsonNode> json, Supplier<String> text) {
        PrintWriter out = command.commandLine().getOut();
        out.println(json() ? Json.pretty(json.get()) : text.get().stripTrailing());
        out.flush();
    }

    /** Starts to print what comes in pieces. */
    public Listing listing() {
        return new Listing(command.commandLine().getOut(), json());
    }

    /**
     * Says what may help, if it can be found out. If it cannot, for example because the database is busy, the command has
     * done what it was asked to do all the same.
     */
    public void hint(Supplier<List<String>> sentences) {
        try {
            sentences.get().forEach(this::say);
        } catch (MusterException e) {
            // Whoever is not told loses nothing but the hint.
        }
    }

    /** Says something that is not the answer. */
    public void say(String line) {
        PrintWriter err = command.commandLine().getErr();
        err.println(line);
        err.flush();
    }
}
