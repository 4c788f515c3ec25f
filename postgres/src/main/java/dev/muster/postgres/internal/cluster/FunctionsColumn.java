package dev.muster.postgres.internal.cluster;

import dev.muster.cluster.PublishedFunction;
import dev.muster.document.internal.FunctionDocument;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.JsonObjectReader;
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
        JsonObjectReader functions = JsonObjectReader.read(column);
        return functions.names().stream()
                .sorted()
                .map(name -> FunctionDocument.read(functions.object(name)))
                .toList();
    }
}
