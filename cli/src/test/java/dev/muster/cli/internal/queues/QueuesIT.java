package dev.muster.cli.internal.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class QueuesIT extends OnTestDatabase {
    private JsonNode queues(String... args) {
        String[] all = new String[args.length + 3];
        all[0] = "queues";
        System.arraycopy(args, 0, all, 1, args.length);
        all[args.length + 1] = "-o";
        all[args.length + 2] = "json";
        return Cli.on(database, all).done().json();
    }

    @Test
    void listsThemWithTheirJobs() {
        assertThat(Cli.on(database, "queues", "list").done().out().strip()).isEqualTo("no queues");
        assertThat(queues("list").isEmpty()).isTrue();
        Cli.on(database, "jobs", "enqueue", "hello", "--queue", "mail").done();
        Cli.on(database, "jobs", "enqueue", "hello", "--queue", "mail", "--delay", "1h")
                .done();

        JsonNode mail = queues("list").get(0);
        assertThat(mail.propertyNames())
                .containsExactly(
                        "name",
                        "paused",
                        "paused_at",
                        "waiting",
                        "pending",
                        "claimed",
                        "running",
                        "oldest_due",
                        "max_running",
                        "rate",
                        "burst",
                        "at_least");
        assertThat(mail.get("name").asString()).isEqualTo("mail");
        assertThat(mail.get("paused").asBoolean()).isFalse();
        assertThat(mail.get("paused_at").isNull()).isTrue();
        assertThat(mail.get("pending").asInt()).isEqualTo(2);
        assertThat(mail.get("running").asInt()).isZero();
        assertThat(Instant.parse(mail.get("oldest_due").asString())).isNotNull();
        assertThat(Cli.on(database, "queues", "list").out()).contains("NAME", "OLDEST DUE", "mail");
    }

    @Test
    void pausesAndResumesAsOftenAsAsked() {
        JsonNode paused = queues("pause", "mail");
        assertThat(paused.get("paused").asBoolean()).isTrue();
        assertThat(queues("pause", "mail")).as("pausing again changes nothing").isEqualTo(paused);
        assertThat(queues("list").get(0)).isEqualTo(paused);

        assertThat(queues("resume", "mail").get("paused").asBoolean()).isFalse();
        JsonNode resumed = queues("resume", "mail");
        assertThat(resumed.get("name").asString()).isEqualTo("mail");
        assertThat(resumed.get("pending").asInt()).isZero();
        queues("pause", "mail");
        // Commands tell ages by the clock of the machine they run on.
        database.execute(
                "UPDATE muster_queues SET paused_at = '" + Instant.now().minus(Duration.ofMinutes(200)) + "'");
        assertThat(Cli.on(database, "queues", "pause", "mail").done().out()).contains("PAUSED", "3h ago");
    }

    @Test
    void limitsAQueueAndRemovesTheLimit() {
        Cli.on(database, "jobs", "enqueue", "hello", "--queue", "mail").done();
        JsonNode limited = queues("limit", "mail", "--max", "3", "--rate", "100/1m");
        assertThat(limited.get("max_running").asInt()).isEqualTo(3);
        assertThat(limited.get("rate").asString()).isEqualTo("100/1m");
        assertThat(limited.get("burst").asInt()).isEqualTo(1);
        assertThat(Cli.on(database, "queues", "list").done().out()).contains("LIMIT", "0 of 3, 100/1m");

        JsonNode rateOnly = queues("limit", "mail", "--rate", "1000/s", "--burst", "20");
        assertThat(rateOnly.get("max_running").isNull()).isTrue();
        assertThat(rateOnly.get("rate").asString()).isEqualTo("1000/1s");
        assertThat(rateOnly.get("burst").asInt()).isEqualTo(20);

        JsonNode none = queues("limit", "mail", "--none");
        assertThat(none.get("rate").isNull()).isTrue();
        assertThat(Cli.on(database, "queues", "limit", "mial", "--max", "1")
                        .done()
                        .err())
                .contains("did you mean 'mail'?");
    }

    @Test
    void refusesLimitsThatMakeNoSense() {
        assertRefused("give --max, --rate or both, or --none");
        assertRefused("--none goes with neither --max nor --rate", "--none", "--max", "1");
        assertRefused("--burst goes with --rate only", "--max", "1", "--burst", "2");
        assertRefused("0 to 1000000 jobs at a time, not -1", "--max", "-1");
        assertRefused("'fast' is no rate; write a number of jobs and a time, such as 100/1m", "--rate", "fast");
        assertRefused("'3/blink' is no rate", "--rate", "3/blink");
        assertRefused("a rate is 1 to 1000000 jobs in a time, not 0", "--rate", "0/s");
        assertRefused("the burst of a rate of 5 jobs is 1 to 5, not 6", "--rate", "5/s", "--burst", "6");
        assertRefused("at most 100000 jobs per second", "--rate", "1000000/s");
        assertThat(queues("list").isEmpty()).as("nothing was written").isTrue();
    }

    private void assertRefused(String message, String... options) {
        List<String> args = new ArrayList<>(List.of("queues", "limit", "mail"));
        args.addAll(List.of(options));
        Cli.on(database, args.toArray(String[]::new)).failed(2, message);
    }

    @Test
    void aQueueThatNobodyKnowsIsPausedWithAWord() {
        Cli.on(database, "jobs", "enqueue", "hello", "--queue", "mail").done();
        Cli.Result typo =
                Cli.on(database, "queues", "pause", "mial", "-o", "json").done();
        assertThat(typo.json().get("paused").asBoolean()).isTrue();
        assertThat(typo.err())
                .contains("no job and no handler of queue 'mial' is known")
                .contains("did you mean 'mail'?");
        assertThat(Cli.on(database, "queues", "resume", "quite-another").done().err())
                .contains("no job and no handler of queue 'quite-another' is known")
                .doesNotContain("did you mean");
        assertThat(Cli.on(database, "queues", "pause", "mail").done().err()).isEmpty();

        Cli.Result none = Cli.on(database, "jobs", "list", "--queue", "mial").done();
        assertThat(none.err()).as("it was paused, so it is known").isEmpty();
        assertThat(Cli.on(database, "jobs", "list", "--name", "helo", "-o", "json")
                        .done()
                        .err())
                .contains("no handler and no recent job is called 'helo'; did you mean 'hello'?");
        assertThat(Cli.on(database, "jobs", "list", "--queue", "mails").done().err())
                .contains("no handler and no recent job has queue 'mails'; did you mean 'mail'?");
        assertThat(Cli.on(database, "jobs", "list", "--name", "hello").done().err())
                .isEmpty();
    }

    @Test
    void whatIsOnlyAHintMayFail() throws SQLException {
        database.execute("UPDATE muster_metrics_progress SET done_to = date_trunc('minute', clock_timestamp())");
        Cli.on(database, "jobs", "enqueue", "hello", "--queue", "mail").done();
        try (Connection busy = database.dataSource().getConnection()) {
            busy.setAutoCommit(false);
            busy.createStatement().execute("LOCK TABLE muster_crons IN ACCESS EXCLUSIVE MODE");
            assertThat(queues("pause", "mial").get("paused").asBoolean()).isTrue();
            assertThat(Cli.on(database, "jobs", "list", "--name", "helo").done().err())
                    .isEmpty();
            assertThat(Cli.on(database, "metrics", "--name", "helo").done().err())
                    .isEmpty();
            busy.rollback();
        }
        assertThat(database.column("SELECT name FROM muster_queues WHERE paused_at IS NOT NULL"))
                .containsExactly("mial");
    }

    @Test
    void aQueueIsPausedEvenIfItsJobsCannotBeCounted() {
        database.execute("ALTER TABLE muster_claims RENAME COLUMN ids TO other");
        Cli.Result paused = Cli.on(database, "queues", "pause", "mail", "-o", "json");
        assertThat(paused.done().json().get("paused").asBoolean()).isTrue();
        assertThat(paused.err()).contains("could not be counted");
        assertThat(database.number("SELECT count(*) FROM muster_queues WHERE paused_at IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void aJobSaysThatItsQueueIsPaused() {
        queues("pause", "mail");
        String id = Cli.on(database, "jobs", "enqueue", "hello", "--queue", "mail", "-o", "json")
                .json()
                .get("id")
                .asString();
        assertThat(Cli.on(database, "jobs", "show", id, "-o", "json")
                        .json()
                        .get("waiting_reason")
                        .asString())
                .startsWith("queue 'mail' has been paused since");
    }
}
