package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.GraphDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.Graphs.GraphQuery;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Lists graphs. */
@Command(name = "list", description = "List graphs, the newest first.")
final class ListCommand implements Callable<Integer> {
    private static final int MAX_LIMIT = 10_000;

    /** Parses the status of a graph. */
    static final class Status implements ITypeConverter<GraphStatus> {
        @Override
        public GraphStatus convert(String text) {
            return GraphStatus.find(text.toLowerCase(Locale.ROOT))
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is no status of a graph; there are "
                            + GraphStatus.known().stream()
                                    .map(GraphStatus::text)
                                    .collect(Collectors.joining(", "))));
        }
    }

    @Option(names = "--name", paramLabel = "NAME", description = "Only graphs with this name.")
    private @Nullable String name;

    @Option(
            names = "--status",
            paramLabel = "S",
            split = ",",
            converter = Status.class,
            description = "Only graphs with these statuses: running, completed, failed, cancelled.")
    private List<GraphStatus> statuses = List.of();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "At most N graphs. Default: 20.")
    private int limit;

    @Option(
            names = "--before",
            paramLabel = "ID",
            converter = GraphIdParameter.class,
            description = "Only graphs older than this one, which is the last one on the previous page.")
    private @Nullable GraphId before;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw CommandFailed.badInput("--limit must be 1 to " + MAX_LIMIT + ", not " + limit);
        }
        GraphQuery wanted = GraphQuery.all().statuses(statuses).limit(limit);
        GraphQuery named = name == null ? wanted : wanted.name(name);
        GraphQuery query = before == null ? named : named.before(before);
        try (Session session = Session.toRead(settings)) {
            List<GraphInfo> graphs = session.cluster().graphs().list(query);
            output.print(() -> JsonObjectWriter.list(graphs, GraphDocument::write), () -> GraphText.table(graphs));
            if (graphs.size() == limit && !output.json()) {
                output.say("next page: --before " + graphs.get(limit - 1).id());
            }
        }
        return ExitCode.DONE;
    }
}
