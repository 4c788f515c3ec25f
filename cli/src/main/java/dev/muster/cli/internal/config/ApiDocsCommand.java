package dev.muster.cli.internal.config;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.gateway.internal.Routes;
import dev.muster.gateway.internal.openapi.ApiReference;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Describes every route of the gateway. Its output is {@code docs/http-reference.md}. */
@Command(
        name = "api-docs",
        hidden = true,
        description = "Describe every route of the gateway, as Markdown; needs no database.")
final class ApiDocsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(ApiReference.of(Routes.all()));
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }
}
