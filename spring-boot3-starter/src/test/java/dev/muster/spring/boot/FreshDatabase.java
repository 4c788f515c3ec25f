package dev.muster.spring.boot;

import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.TestDatabases;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** An empty database: what is in it comes from the application. */
final class FreshDatabase implements AutoCloseable {
    private static final TestDatabases DATABASES =
            new TestDatabases(EmbeddedPostgres.shared(), "spring_boot", url -> {});

    final String url = DATABASES.create();
    private final JdbcTemplate sql = new JdbcTemplate(new DriverManagerDataSource(url));

    long number(String query) {
        Long found = sql.queryForObject(query, Long.class);
        return found == null ? -1 : found;
    }

    String text(String query) {
        return sql.queryForObject(query, String.class);
    }

    List<String> column(String query) {
        return sql.queryForList(query, String.class);
    }

    void execute(String statement) {
        sql.execute(statement);
    }

    /** Arguments of an application that uses this database. */
    String[] arguments(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--spring.datasource.url=" + url));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @Override
    public void close() {
        DATABASES.drop(url);
    }
}
