package dev.muster.cli.internal.console;

import dev.muster.document.internal.Json;
import dev.muster.runtime.MusterException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The option {@code -o}, and printing in the format that it selects. */
public final class OutputOption {

    /** The output formats. */
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

    /** Prints one JSON document or one text, depending on the format. */
    public void print(Supplier<? extends @Nullable Object> json, Supplier<String> text) {
        PrintWriter out = command.commandLine().getOut();
        out.println(json() ? Json.pretty(json.get()) : text.get().stripTrailing());
        out.flush();
    }

    /** Starts a listing of entries that come one by one. */
    public Listing listing() {
        return new Listing(command.commandLine().getOut(), json());
    }

    /**
     * Prints a hint on standard error. If computing the hint fails, for example because the database is busy, the command has
     * still succeeded.
     */
    public void hint(Supplier<List<String>> sentences) {
        try {
            sentences.get().forEach(this::say);
        } catch (MusterException e) {
            // The hint is left out.
        }
    }

    /** Prints a line that is not part of the result, on standard error. */
    public void say(String line) {
        PrintWriter err = command.commandLine().getErr();
        err.println(line);
        err.flush();
    }
}
