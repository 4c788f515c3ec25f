package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * What a node without work asks of the database, counted by the server. The server is one of its own: counting statements costs, and
 * nothing else must be counted.
 *
 * @param statements per second, without BEGIN and COMMIT
 * @param transactions per second
 */
record IdleNode(double statements, double transactions) {
    private static final String DATABASE = "idle";
    private static final String COUNT_STATEMENTS = """
            select coalesce(sum(calls), 0) from pg_stat_statements
            where dbid = (select oid from pg_database where datname = '%s')
              and query !~* '^\\s*(begin|start transaction|commit|rollback)'""".formatted(DATABASE);
    private static final String COUNT_TRANSACTIONS =
            "select xact_commit + xact_rollback from pg_stat_database where datname = '%s'".formatted(DATABASE);

    /**
     * Starts a node, lets it settle and watches it for as long as the plan says.
     *
     * @param change adds handlers and settings to a node with default settings
     */
    static IdleNode watch(Stage stage, UnaryOperator<MusterBuilder> change) throws Exception {
        long watch = stage.plan().idle().toMillis();
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setting("shared_preload_libraries", "pg_stat_statements")
                .setting("pg_stat_statements.track", "top")
                .start()) {
            String url = server.databases().create(DATABASE);
            Scratch.execute(server.jdbcUrl(), "create extension pg_stat_statements");
            try (Muster node = change.apply(
                            Muster.builder().config(MusterConfig.defaults()).database(url))
                    .build()) {
                node.start();
                stage.say("settling");
                TimeUnit.MILLISECONDS.sleep(watch / 2);
                stage.say("watching");
                Counts before = counts(server);
                long begin = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(watch);
                Counts after = counts(server);
                double seconds = (System.nanoTime() - begin) / 1e9;
                return new IdleNode(
                        (after.statements() - before.statements()) / seconds,
                        (after.transactions() - before.transactions()) / seconds);
            }
        }
    }

    private record Counts(long statements, long transactions) {}

    /** Asked from another database, so that the question does not count. */
    private static Counts counts(EmbeddedPostgres server) throws Exception {
        return new Counts(
                Scratch.number(server.jdbcUrl(), COUNT_STATEMENTS),
                Scratch.number(server.jdbcUrl(), COUNT_TRANSACTIONS));
    }
}
