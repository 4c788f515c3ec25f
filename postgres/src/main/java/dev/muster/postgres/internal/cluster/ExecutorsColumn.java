package dev.muster.postgres.internal.cluster;

import dev.muster.cluster.ExecutorInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The column {@code muster_nodes.executors}. */
final class ExecutorsColumn {
    private ExecutorsColumn() {}

    /** The column's value. Names and kinds of executors have no characters that JSON would have to escape. */
    static String of(List<ExecutorInfo> executors) {
        return executors.stream().map(ExecutorsColumn::entry).collect(Collectors.joining(",", "{", "}"));
    }

    private static String entry(ExecutorInfo executor) {
        return "\"" + executor.name() + "\":{\"kind\":\"" + executor.kind() + "\",\"size\":" + executor.size()
                + ",\"running\":" + executor.running() + ",\"stuck\":" + executor.stuck() + "}";
    }

    /** The executors in a row of {@code nodes/list.sql}. */
    static List<ExecutorInfo> read(ResultSet row) throws SQLException {
        String[] names = (String[]) row.getArray("executor_names").getArray();
        String[] kinds = (String[]) row.getArray("executor_kinds").getArray();
        Integer[] sizes = (Integer[]) row.getArray("executor_sizes").getArray();
        Integer[] running = (Integer[]) row.getArray("executor_running").getArray();
        Integer[] stuck = (Integer[]) row.getArray("executor_stuck").getArray();
        List<ExecutorInfo> executors = new ArrayList<>(names.length);
        for (int i = 0; i < names.length; i++) {
            executors.add(new ExecutorInfo(names[i], kinds[i], sizes[i], running[i], stuck[i]));
        }
        return executors;
    }
}
