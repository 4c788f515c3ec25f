package dev.muster.cli;

import dev.muster.cli.internal.access.AuditCommand;
import dev.muster.cli.internal.access.KeysCommand;
import dev.muster.cli.internal.batches.BatchesCommand;
import dev.muster.cli.internal.cluster.ClusterCommand;
import dev.muster.cli.internal.config.ConfigCommand;
import dev.muster.cli.internal.console.Logs;
import dev.muster.cli.internal.console.PlainText;
import dev.muster.cli.internal.crons.CronsCommand;
import dev.muster.cli.internal.daemons.DaemonsCommand;
import dev.muster.cli.internal.database.MigrateCommand;
import dev.muster.cli.internal.demo.DemoCommand;
import dev.muster.cli.internal.encryption.EncryptionCommand;
import dev.muster.cli.internal.graphs.GraphsCommand;
import dev.muster.cli.internal.jobs.JobsCommand;
import dev.muster.cli.internal.metrics.MetricsCommand;
import dev.muster.cli.internal.node.DevCommand;
import dev.muster.cli.internal.node.NodeCommand;
import dev.muster.cli.internal.queues.QueuesCommand;
import dev.muster.cli.internal.workflows.WorkflowsCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code muster} command, with all others below it. */
@Command(
        name = "muster",
        description = {
            "A job cluster that needs nothing but PostgreSQL.",
            "'muster bench' runs benchmarks; see 'muster bench --help'."
        },
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Version.class,
        sortOptions = false,
        usageHelpWidth = 100,
        footer = {
            "",
            "The database is taken from --url, or else MUSTER_DATABASE_URL, or else database.url in muster.toml.",
            "With --server or MUSTER_SERVER, commands use a node's HTTP gateway and need no database.",
            "Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 the database or the gateway cannot be reached."
        })
public final class MusterCommand implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(
            DemoCommand.class,
            DevCommand.class,
            NodeCommand.class,
            JobsCommand.class,
            QueuesCommand.class,
            CronsCommand.class,
            DaemonsCommand.class,
            WorkflowsCommand.class,
            GraphsCommand.class,
            BatchesCommand.class,
            ClusterCommand.class,
            MetricsCommand.class,
            KeysCommand.class,
            AuditCommand.class,
            MigrateCommand.class,
            EncryptionCommand.class,
            ConfigCommand.class);

    @Spec
    private CommandSpec spec;

    /** The command with all others below it. */
    public static CommandLine create() {
        return with(COMMANDS);
    }

    /**
     * The command, to be executed with these arguments. Reading the annotations of all commands takes half a second of each start, so only
     * the one that is named first is below it, or all if none of them is.
     */
    public static CommandLine createFor(String... arguments) {
        List<Class<?>> named = COMMANDS.stream()
                .filter(command -> arguments.length > 0 && nameOf(command).equals(arguments[0]))
                .toList();
        return with(named.isEmpty() ? COMMANDS : named);
    }

    private static String nameOf(Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }

    private static CommandLine with(List<Class<?>> commands) {
        CommandLine command = new CommandLine(new MusterCommand()) {
            @Override
            public int execute(String... arguments) {
                return super.execute(CallerKey.named(arguments));
            }
        };
        commands.forEach(command::addSubcommand);
        ServiceLoader.load(CommandProvider.class).forEach(provider -> command.addSubcommand(provider.command()));
        // "@file" is handled by --args, not by the parser.
        command.setExpandAtFiles(false);
        command.setCaseInsensitiveEnumValuesAllowed(true);
        command.setExecutionStrategy(MusterCommand::runGuarded);
        command.setParameterExceptionHandler(Failures::usage);
        command.setExecutionExceptionHandler(Failures::execution);
        return command;
    }

    /** Help is Muster's own text, with colours; whatever a command prints may be somebody else's. */
    private static int runGuarded(ParseResult parsed) {
        Integer helped = CommandLine.executeHelpRequest(parsed);
        if (helped != null) {
            return helped;
        }
        PlainText.guard(parsed.commandSpec().commandLine());
        return new RunLast().execute(parsed);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which command? 'muster --help' lists them");
    }

    public static void main(String[] args) {
        Logs.quiet();
        CommandLine command = createFor(args);
        command.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        command.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        System.exit(command.execute(args));
    }
}
