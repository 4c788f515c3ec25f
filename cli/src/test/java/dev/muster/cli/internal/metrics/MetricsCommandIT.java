package dev.muster.cli.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class MetricsCommandIT extends OnTestDatabase {
    @BeforeEach
    void prepare() {
        database.execute("UPDATE muster_metrics_progress SET done_to = date_trunc('minute', clock_timestamp())");
    }

    private void minute(int ago, String queue, String name, int completed, int failed, int p50, int p95, int depth) {
        database.execute("INSERT INTO muster_metrics (minute, queue, name, completed, failed, run_p50_ms, run_p95_ms,"
                + " wait_p50_ms, wait_p95_ms, depth) SELECT p.done_to - " + ago + " * interval '1 minute', '" + queue
                + "', '" + name + "', " + completed + ", " + failed + ", " + p50 + ", " + p95 + ", 1, 2, " + depth
                + " FROM muster_metrics_progress p");
    }

    @Test
    void addsUpTheMinutesByQueueAndName() {
        minute(1, "mail", "", 90, 10, 10, 100, 7);
        minute(1, "mail", "send", 90, 10, 10, 100, 7);
        minute(30, "mail", "", 300, 0, 20, 200, 99);
        minute(30, "mail", "send", 300, 0, 20, 200, 99);
        minute(90, "mail", "", 5_000, 0, 1, 1, 0);
        minute(2, "other", "", 1, 0, 5, 5, 3);

        JsonNode figures = Cli.on(database, "metrics", "-o", "json").done().json();
        assertThat(figures.propertyNames()).containsExactly("from", "to", "queues", "jobs", "age_ms");
        assertThat(figures.get("queues")).hasSize(2);
        JsonNode mail = figures.get("queues").get(0);
        assertThat(mail.get("queue").asString()).isEqualTo("mail");
        assertThat(mail.get("completed").asLong()).isEqualTo(390);
        assertThat(mail.get("failed").asLong()).isEqualTo(10);
        assertThat(mail.get("per_minute").asDouble()).isEqualTo(400 / 60.0, within(0.01));
        assertThat(mail.get("run_p50_ms").asDouble()).isEqualTo(17.5, within(0.01));
        assertThat(mail.get("run_p95_worst_minute_ms").asDouble()).isEqualTo(200);
        assertThat(mail.get("depth").asLong()).as("of the last minute").isEqualTo(7);
        assertThat(figures.get("queues").get(1).get("depth").asLong())
                .as("nothing is due any more")
                .isZero();
        assertThat(figures.get("jobs").get(0).get("name").asString()).isEqualTo("send");

        assertThat(Cli.on(database, "metrics", "--since", "2h", "-o", "json")
                        .done()
                        .json()
                        .get("queues")
                        .get(0)
                        .get("completed")
                        .asLong())
                .isEqualTo(5_390);
        String table = Cli.on(database, "metrics", "--queue", "mail").done().out();
        assertThat(table)
                .contains("QUEUE", "PER MIN", "mail", "(all)", "send", "18ms/175ms")
                .doesNotContain("other");
        assertThat(table.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(80));
    }

    @Test
    void saysWhyThereIsNothing() {
        assertThat(Cli.on(database, "metrics").done().out()).contains("no jobs ended or were due from");
        minute(1, "mail", "", 90, 10, 10, 100, 7);
        assertThat(Cli.on(database, "metrics", "--queue", "mial").done().err()).contains("did you mean 'mail'?");
        Cli.on(database, "metrics", "--since", "10s").failed(2, "--since must be 1m to 31d");
        Cli.on(database, "metrics", "--since", "soon").failed(2, "soon");
        database.execute("UPDATE muster_metrics_progress SET done_to = done_to - interval '1 hour'");
        assertThat(Cli.on(database, "metrics").done().err()).contains("has been counted", "metrics_aggregator");
    }
}
