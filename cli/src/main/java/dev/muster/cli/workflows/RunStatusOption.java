package dev.muster.cli.workflows;

import dev.muster.workflow.RunStatus;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the status of a run on the command line. */
final class RunStatusOption implements ITypeConverter<RunStatus> {
    @Override
    public RunStatus convert(String text) {
        return RunStatus.find(text.toLowerCase(Locale.ROOT))
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is no status of a run; there are "
                        + RunStatus.known().stream().map(RunStatus::text).collect(Collectors.joining(", "))));
    }
}
