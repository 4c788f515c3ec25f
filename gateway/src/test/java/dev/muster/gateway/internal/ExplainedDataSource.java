package dev.muster.gateway.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Has the database explain each query that is sent through its connections: how many pages it visits, and whether an index is missing,
 * however fast the machine is. Plans avoid reading whole tables if there is any other way.
 */
final class ExplainedDataSource {
    private static final Pattern QUERY = Pattern.compile("(?is)(\\s|--[^\\n]*\\n|\\()*(SELECT|WITH)\\b.*");
    private static final Pattern PAGES = Pattern.compile("shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private static final Pattern WHOLE_TABLE = Pattern.compile("Seq Scan on (muster_jobs|muster_job_history\\w*)\\b");

    private final Map<String, Visit> visits = new ConcurrentHashMap<>();
    private final Map<String, String> wholeTables = new ConcurrentHashMap<>();
    private final DataSource source;

    /** The most pages that a query has visited, and how. */
    record Visit(long pages, String plan) {}

    ExplainedDataSource(DataSource source) {
        this.source = source;
    }

    DataSource dataSource() {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = invoke(source, method, arguments);
            return result instanceof Connection connection && method.getName().equals("getConnection")
                    ? explained(connection)
                    : result;
        });
    }

    void forget() {
        visits.clear();
        wholeTables.clear();
    }

    /** By the text of the query. */
    Map<String, Visit> visits() {
        return Map.copyOf(visits);
    }

    /** The plans of the queries that have no index to find jobs by, by the text of the query. */
    Map<String, String> wholeTables() {
        return Map.copyOf(wholeTables);
    }

    private Connection explained(Connection connection) {
        return proxy(Connection.class, (self, method, arguments) -> {
            Object result = invoke(connection, method, arguments);
            return method.getName().equals("prepareStatement")
                            && QUERY.matcher((String) arguments[0]).matches()
                    ? explained(connection, (PreparedStatement) result, (String) arguments[0])
                    : result;
        });
    }

    private record Parameter(Method method, @Nullable Object[] arguments) {}

    private PreparedStatement explained(Connection connection, PreparedStatement statement, String sql) {
        List<Parameter> parameters = new ArrayList<>();
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            if (method.getName().startsWith("set") && method.getParameterCount() >= 2) {
                parameters.add(new Parameter(method, arguments));
            } else if (method.getName().startsWith("execute") && method.getParameterCount() == 0) {
                explainWithIndexes(connection, sql, parameters);
            }
            return invoke(statement, method, arguments);
        });
    }

    private void explainWithIndexes(Connection connection, String sql, List<Parameter> parameters) throws Throwable {
        execute(connection, "SET enable_seqscan = off");
        try {
            explain(connection, sql, parameters);
        } catch (SQLException e) {
            // A transaction that has failed ends with a rollback, which sets it back as well.
            if (connection.getAutoCommit()) {
                execute(connection, "RESET enable_seqscan");
            }
            throw e;
        }
        execute(connection, "RESET enable_seqscan");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void explain(Connection connection, String sql, List<Parameter> parameters) throws Throwable {
        // Settings may come before the query in the same text.
        int query = sql.stripTrailing().replaceFirst(";$", "").lastIndexOf(';') + 1;
        String text = sql.substring(0, query) + " EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) " + sql.substring(query);
        try (PreparedStatement explain = connection.prepareStatement(text)) {
            for (Parameter parameter : parameters) {
                invoke(explain, parameter.method(), parameter.arguments());
            }
            StringBuilder plan = new StringBuilder();
            explain.execute();
            do {
                plan.setLength(0);
                ResultSet lines = explain.getResultSet();
                while (lines != null && lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            } while (explain.getMoreResults() || explain.getUpdateCount() != -1);
            if (WHOLE_TABLE.matcher(plan).find()) {
                wholeTables.put(sql, plan.toString());
            }
            // The first line with figures is that of the whole query.
            Matcher pages = PAGES.matcher(plan);
            long count = pages.find() ? number(pages.group(1)) + number(pages.group(2)) : 0;
            visits.merge(
                    sql, new Visit(count, plan.toString()), (one, other) -> one.pages() > other.pages() ? one : other);
        }
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(ExplainedDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
