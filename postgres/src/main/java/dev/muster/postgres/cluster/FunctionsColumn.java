package dev.muster.postgres.cluster;

import dev.muster.cluster.PublishedFunction;
import dev.muster.document.Fields;
import dev.muster.document.FunctionDocument;
import dev.muster.document.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The column {@code muster_nodes.functions}: an object with a member for each function. */
final class FunctionsColumn {
    private FunctionsColumn() {}

    static String of(List<PublishedFunction> functions) {
        Map<String, @Nullable Object> column = new LinkedHashMap<>();
        functions.forEach(function -> column.put(function.name(), FunctionDocument.write(function)));
        return Json.write(column);
    }

    /** The functions by name. */
    static List<PublishedFunction> read(String column) {
        Fields functions = Fields.read(column);
        return functions.names().stream()
                .sorted()
                .map(name -> FunctionDocument.read(functions.object(name)))
                .toList();
    }
}
