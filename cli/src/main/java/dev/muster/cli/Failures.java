package dev.muster.cli;

import dev.muster.access.InvalidKeyRequest;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.PlainText;
import dev.muster.client.GatewayException;
import dev.muster.client.GatewayUnavailable;
import dev.muster.client.NeedsDatabase;
import dev.muster.config.ConfigException;
import dev.muster.embedded.EmbeddedPostgresException;
import dev.muster.graph.InvalidGraph;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.DurationText.InvalidDuration;
import dev.muster.job.InvalidJob;
import dev.muster.job.InvalidJobLimit;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns an exception into one line on standard error and an exit code; MUSTER_DEBUG=1 adds the stack trace. */
final class Failures {
    private Failures() {}

    static int usage(ParameterException e, String[] args) {
        PlainText.guard(e.getCommandLine());
        PrintWriter err = e.getCommandLine().getErr();
        Optional<String> unknown = unknownCommand(e);
        err.println("muster: " + unknown.orElse(e.getMessage()));
        trace(e, err);
        if (unknown.isPresent() || !UnmatchedArgumentException.printSuggestions(e, err)) {
            err.println("Try '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
        }
        return ExitCode.USAGE;
    }

    private static Optional<String> unknownCommand(ParameterException e) {
        Set<String> commands = e.getCommandLine().getSubcommands().keySet();
        if (commands.isEmpty() || !(e instanceof UnmatchedArgumentException unmatched)) {
            return Optional.empty();
        }
        return unmatched.getUnmatched().stream()
                .findFirst()
                .filter(word -> !word.startsWith("-"))
                .map(word -> "there is no command '" + word + "'; there are " + String.join(", ", commands));
    }

    static int execution(Exception e, CommandLine command, ParseResult parsed) {
        if (e instanceof ParameterException bad) {
            return usage(bad, new String[0]);
        }
        PrintWriter err = command.getErr();
        err.println("muster: " + message(e));
        trace(e, err);
        return exitCode(e);
    }

    private static String message(Exception e) {
        if (e instanceof GatewayException refused && refused.status() == 401) {
            return refused.getMessage() + "; commands take the key from --api-key or MUSTER_KEY";
        }
        if (e instanceof GatewayException refused && refused.status() == 429) {
            return refused.getMessage()
                    + refused.retryAfter()
                            .map(pause -> "; try again in " + DurationText.format(pause))
                            .orElse("");
        }
        boolean ours = e instanceof MusterException || e instanceof EmbeddedPostgresException;
        return ours ? e.getMessage() : "unexpected error: " + e + " (set MUSTER_DEBUG=1 for the stack trace)";
    }

    private static int exitCode(Exception e) {
        if (e instanceof CommandFailed failed) {
            return failed.exitCode();
        }
        if (e instanceof DatabaseUnavailable || e instanceof GatewayUnavailable) {
            return ExitCode.NO_DATABASE;
        }
        boolean badInput = e instanceof ConfigException
                || e instanceof NeedsDatabase
                || e instanceof InvalidJob
                || e instanceof InvalidJobLimit
                || e instanceof InvalidGraph
                || e instanceof InvalidName
                || e instanceof InvalidKeyRequest
                || e instanceof InvalidDuration
                || e instanceof JsonException;
        return badInput ? ExitCode.USAGE : ExitCode.FAILED;
    }

    private static void trace(Exception e, PrintWriter err) {
        if ("1".equals(System.getenv("MUSTER_DEBUG"))) {
            e.printStackTrace(err);
        }
    }
}
