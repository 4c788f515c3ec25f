package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import java.util.concurrent.TimeUnit;

/**
 * What a node asks of the database while there is nothing to do, counted by the server. The server is one of its own:
 * counting statements costs, and nobody else shall be counted.
 */
final class IdleScenario implements Scenario {
    static final Metric STATEMENTS = Metric.of("idle_statements", Metric.Unit.STATEMENTS_PER_SECOND);
    private static final Metric TRANSACTIONS = Metric.of("idle_transactions", Metric.Unit.STATEMENTS_PER_SECOND);

    private static final String COUNT_STATEMENTS = """
            select coalesce(sum(calls), 0) from pg_stat_statements
            where dbid = (select oid from pg_database where datname = '%s')
              and query !~* '^\\s*(begin|start transaction|commit|rollback)'""";
    private static final String COUNT_TRANSACTIONS =
            "select xact_commit + xact_rollback from pg_stat_database where datname = '%s'";

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER;
    }

    @Override
    public int rounds(int wanted) {
        return 1;
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        long watch = stage.plan().idle().toMillis();
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setting("shared_preload_libraries", "pg_stat_statements")
                .setting("pg_stat_statements.track", "top")
                .start()) {
            String url = server.databases().create("idle");
            Scratch.execute(server.jdbcUrl(), "create extension pg_stat_statements");
            try (Muster node = Muster.builder()
                    .config(MusterConfig.defaults())
                    .database(url)
                    .register(new Confirmations(Handled.endless()))
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
                return new Figures()
                        .add(STATEMENTS, (after.statements() - before.statements()) / seconds)
                        .add(TRANSACTIONS, (after.transactions() - before.transactions()) / seconds);
            }
        }
    }

    private record Counts(long statements, long transactions) {}

    /** Asked from another database, so that the question does not count. */
    private static Counts counts(EmbeddedPostgres server) throws Exception {
        return new Counts(
                Scratch.number(server.jdbcUrl(), COUNT_STATEMENTS.formatted("idle")),
                Scratch.number(server.jdbcUrl(), COUNT_TRANSACTIONS.formatted("idle")));
    }
}
