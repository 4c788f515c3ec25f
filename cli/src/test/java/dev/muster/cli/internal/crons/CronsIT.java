package dev.muster.cli.internal.crons;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.config.MusterConfig;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.Misfire;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class CronsIT extends OnTestDatabase {
    private Muster node;

    static final class Shop {
        @Cron(value = "0 6 1 1 *", zone = "Europe/Berlin", misfire = Misfire.CATCH_UP, catchUpLimit = 3)
        void yearlyReport(CronContext ctx) {}

        @Daemon
        void priceFeed(DaemonContext ctx) {
            ctx.awaitShutdown(Duration.ofMinutes(5));
        }

        @Daemon(maxRestarts = 0)
        void brokenFeed(DaemonContext ctx) {
            throw new IllegalStateException("no prices");
        }
    }

    @BeforeEach
    void prepare() {
        node = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .set("node.id", "node-1")
                .register(new Shop())
                .build();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void listsSteersAndTriggers() {
        assertThat(Cli.on(database, "crons", "list").done().out().strip()).isEqualTo("no crons");
        node.start();

        JsonNode cron = asJson("crons", "list", "--next", "2").get(0);
        assertThat(cron.propertyNames())
                .containsExactly(
                        "name",
                        "expression",
                        "zone",
                        "job",
                        "source",
                        "misfire",
                        "catch_up_limit",
                        "overlap",
                        "jitter_ms",
                        "paused",
                        "paused_at",
                        "gone_at",
                        "next_ticks",
                        "last_tick",
                        "last_job",
                        "problem",
                        "next_tick",
                        "args",
                        "options",
                        "updated_at");
        assertThat(cron.get("name").asString()).isEqualTo("yearly_report");
        assertThat(cron.get("source").asString()).isEqualTo("static");
        assertThat(cron.get("next_ticks").size()).isEqualTo(2);
        assertThat(cron.get("next_ticks").get(0).asString()).endsWith("-01-01T05:00:00Z");
        assertThat(Cli.on(database, "crons", "list").done().out())
                .contains("NAME", "yearly_report", "0 6 1 1 *", "Europe/Berlin", "catch_up(3)", "allow");
        JsonNode next = asJson("crons", "next", "yearly_report", "--count", "3");
        assertThat(next.size()).isEqualTo(3);
        assertThat(Instant.parse(next.get(0).asString()))
                .isBefore(Instant.parse(next.get(1).asString()));

        assertThat(asJson("crons", "pause", "yearly_report").get("paused").asBoolean())
                .isTrue();
        assertThat(asJson("crons", "list").get(0).get("next_ticks").isEmpty()).isTrue();
        String job = asJson("crons", "trigger", "yearly_report").get("job").asString();
        patiently()
                .until(() ->
                        asJson("jobs", "show", job).get("status").asString().equals("completed"));
        assertThat(asJson("crons", "resume", "yearly_report").get("paused").asBoolean())
                .isFalse();

        node.close();
        // Commands tell ages by the clock of the machine they run on.
        database.execute("UPDATE muster_crons SET gone_at = '" + Instant.now().minus(Duration.ofMinutes(200)) + "'");
        JsonNode gone = asJson("crons", "list").get(0);
        assertThat(gone.get("gone_at").asString()).endsWith("Z");
        assertThat(gone.get("next_ticks").isEmpty()).isTrue();
        assertThat(Cli.on(database, "crons", "list").done().out()).contains("GONE", "3h ago");
    }

    @Test
    void saysWhatIsWrong() {
        assertThat(Cli.on(database, "crons", "pause", "nothing").failed(1).err())
                .contains("there is no cron 'nothing'");
        assertThat(Cli.on(database, "crons", "trigger", "Not A Name").failed(2).err())
                .contains("cron name");
        assertThat(Cli.on(database, "crons", "list", "--next", "0").failed(2).err())
                .contains("--next must be 1 to 1000");
        assertThat(Cli.run("crons").failed(2).err()).contains("which one? list, next, create");
        assertThat(Cli.on(database, "daemons", "reset", "nothing").failed(1).err())
                .contains("there is no failed daemon 'nothing'");
    }

    @Test
    void listsDaemonsAndResetsFailedOnes() {
        assertThat(Cli.on(database, "daemons", "list").done().out().strip()).isEqualTo("no daemons");
        node.start();
        patiently()
                .until(() -> asJson("daemons", "list").size() == 2
                        && asJson("daemons", "list")
                                .get(0)
                                .get("status")
                                .asString()
                                .equals("failed")
                        && asJson("daemons", "list")
                                .get(1)
                                .get("status")
                                .asString()
                                .equals("running"));

        JsonNode broken = asJson("daemons", "list").get(0);
        assertThat(broken.get("name").asString()).isEqualTo("broken_feed");
        assertThat(broken.get("last_error").asString()).isEqualTo("java.lang.IllegalStateException: no prices");
        assertThat(asJson("daemons", "list").get(1).get("node").asString()).isEqualTo("node-1");
        assertThat(Cli.on(database, "daemons", "list").done().out()).contains("price_feed", "running", "node-1");
        String failedAt = broken.get("failed_at").asString();

        assertThat(asJson("daemons", "reset", "broken_feed").get("reset").asBoolean())
                .isTrue();
        patiently().until(() -> {
            JsonNode again = asJson("daemons", "list").get(0);
            return again.get("status").asString().equals("failed")
                    && !again.get("failed_at").asString().equals(failedAt);
        });
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(50));
    }

    @Test
    void createsChangesAndDeletesThoseOfRunTime() {
        node.start();
        Cli.Result created = Cli.on(
                        database,
                        "crons",
                        "create",
                        "acme_invoices",
                        "--expression",
                        "0 6 * * MON",
                        "--zone",
                        "Europe/Berlin",
                        "--job",
                        "yearly_reports",
                        "--args",
                        "{\"tenant\": \"acme\"}",
                        "--queue",
                        "mail",
                        "--misfire",
                        "catch_up",
                        "--catch-up-limit",
                        "3",
                        "--jitter",
                        "5m",
                        "-o",
                        "json")
                .done();
        JsonNode cron = created.json();
        assertThat(cron.get("source").asString()).isEqualTo("dynamic");
        assertThat(cron.get("zone").asString()).isEqualTo("Europe/Berlin");
        assertThat(cron.get("catch_up_limit").asInt()).isEqualTo(3);
        assertThat(cron.get("jitter_ms").asInt()).isEqualTo(300_000);
        assertThat(cron.get("next_ticks").size()).isEqualTo(1);
        assertThat(created.err())
                .contains("no live node has a handler for job 'yearly_reports'", "did you mean 'yearly_report'?");

        Cli.on(database, "crons", "create", "acme_invoices", "--expression", "@daily", "--job", "x")
                .failed(1, "a cron 'acme_invoices' exists already");
        JsonNode updated = asJson("crons", "update", "acme_invoices", "--expression", "@daily", "--overlap", "skip");
        assertThat(updated.get("expression").asString()).isEqualTo("@daily");
        assertThat(updated.get("overlap").asString()).isEqualTo("skip");
        assertThat(updated.get("zone").asString()).as("not given: stays").isEqualTo("Europe/Berlin");
        assertThat(node.crons().spec("acme_invoices").orElseThrow().job().queue())
                .contains("mail");
        asJson("crons", "update", "acme_invoices", "--job", "yearly_report", "--max-attempts", "1");
        String job = asJson("crons", "trigger", "acme_invoices").get("job").asString();
        JsonNode enqueued = asJson("jobs", "show", job);
        assertThat(enqueued.get("name").asString()).isEqualTo("yearly_report");
        assertThat(enqueued.get("args").get("tenant").asString()).isEqualTo("acme");
        assertThat(enqueued.get("queue").asString()).isEqualTo("mail");
        assertThat(enqueued.get("max_attempts").asInt()).isEqualTo(1);

        assertThat(asJson("crons", "delete", "acme_invoices").get("deleted").asBoolean())
                .isTrue();
        Cli.on(database, "crons", "delete", "acme_invoices").failed(1, "there is no cron 'acme_invoices'");
    }

    @Test
    void areCreatedEvenIfNobodyCanSayWhichHandlersThereAre() {
        database.execute("ALTER TABLE muster_nodes RENAME COLUMN handlers TO other");
        assertThat(asJson("crons", "create", "often", "--expression", "@daily", "--job", "x")
                        .get("expression")
                        .asString())
                .isEqualTo("@daily");
        assertThat(asJson("crons", "update", "often", "--job", "y").get("job").asString())
                .isEqualTo("y");
    }

    @Test
    void newArgsRepairACronWhoseKeyIsGone() {
        String lost = "--set=encryption.keys=k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";
        String kept = "--set=encryption.keys=k2=bWF0ZXJpYWwtdHdvLW1hdGVyaWFsLXR3by1tYXQtMjI=";
        asJson(
                "crons",
                "create",
                "often",
                "--expression",
                "@daily",
                "--job",
                "x",
                "--queue",
                "mail",
                "--args",
                "1",
                lost);
        Cli.on(database, "crons", "update", "often", "--job", "y", kept).failed(1, "k1");
        JsonNode repaired = asJson("crons", "update", "often", "--args", "2", "--job", "y", kept);
        assertThat(repaired.get("job").asString()).isEqualTo("y");
        assertThat(repaired.get("expression").asString()).isEqualTo("@daily");
        String job = asJson("crons", "trigger", "often", kept).get("job").asString();
        assertThat(asJson("jobs", "show", job, kept).get("args").asInt()).isEqualTo(2);
        assertThat(asJson("jobs", "show", job, kept).get("queue").asString()).isEqualTo("mail");
    }

    @Test
    void refusesWhatCannotBeAndWhatIsWrittenInCode() {
        node.start();
        Cli.on(database, "crons", "update", "yearly_report", "--expression", "@daily")
                .failed(1, "cron 'yearly_report' is defined in code and changed there");
        Cli.on(database, "crons", "delete", "yearly_report").failed(1, "is defined in code and deleted there");
        Cli.on(database, "crons", "update", "yearly_reprot", "--expression", "@daily")
                .failed(1, "there is no cron 'yearly_reprot'; did you mean 'yearly_report'?");
        Cli.on(database, "crons", "pause", "yearly_reprot").failed(1, "did you mean 'yearly_report'?");
        Cli.on(database, "crons", "update", "yearly_report").failed(2, "nothing to change");
        Cli.on(database, "crons", "create", "x").failed(2, "--expression and --job");
        Cli.on(database, "crons", "create", "x", "--expression", "61 * * * *", "--job", "y")
                .failed(2, "minute");
        Cli.on(database, "crons", "create", "x", "--expression", "@daily", "--job", "y", "--zone", "Mars/Olympus")
                .failed(2, "there is no time zone 'Mars/Olympus'");
        Cli.on(database, "crons", "create", "x", "--expression", "@daily", "--job", "y", "--catch-up-limit", "3")
                .failed(2, "--catch-up-limit needs --misfire catch_up");
        Cli.on(database, "crons", "create", "x", "--expression", "@daily", "--job", "y", "--misfire", "perhaps")
                .failed(2, "--misfire");
        Cli.on(database, "crons", "create", "Bad Name", "--expression", "@daily", "--job", "y")
                .failed(2, "cron name");
        assertThat(node.crons().list()).hasSize(1);
    }
}
