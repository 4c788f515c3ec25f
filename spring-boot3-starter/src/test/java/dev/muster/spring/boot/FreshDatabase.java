package dev.muster.spring.boot;

import dev.muster.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;

/** A database of one test. */
final class FreshDatabase implements AutoCloseable {
    final String url;
    private final TestDatabase database;

    private FreshDatabase(TestDatabase database) {
        this.url = database.url();
        this.database = database;
    }

    /** Without any table: what is in it comes from the application. */
    static FreshDatabase empty() {
        return new FreshDatabase(TestDatabase.emptyFromEnv());
    }

    /** With Muster's tables, so that an application starts quickly. */
    static FreshDatabase migrated() {
        return new FreshDatabase(TestDatabase.fromEnv());
    }

    long number(String query) {
        return database.number(query);
    }

    String text(String query) {
        return column(query).get(0);
    }

    List<String> column(String query) {
        return database.column(query);
    }

    void execute(String statement) {
        database.execute(statement);
    }

    /** Arguments of an application that uses this database. */
    String[] arguments(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--spring.datasource.url=" + url));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @Override
    public void close() {
        database.close();
    }
}
