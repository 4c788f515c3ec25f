package dev.muster.cli.internal.graphs;

import dev.muster.graph.GraphId;
import dev.muster.runtime.MusterException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the id of a graph on the command line. */
final class GraphIdParameter implements ITypeConverter<GraphId> {
    @Override
    public GraphId convert(String text) {
        try {
            return GraphId.of(text);
        } catch (MusterException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
