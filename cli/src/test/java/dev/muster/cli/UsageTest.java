package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.testing.Measured;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;

/** Everything that is decided before a database is needed. */
class UsageTest {
    private static final ClosedPort CLOSED = new ClosedPort();
    private static final String NOBODY = CLOSED.databaseUrl();

    @AfterAll
    static void free() {
        CLOSED.close();
    }

    @Test
    void everyCommandHasHelpThatFits() {
        CommandLine muster = MusterCommand.create();
        assertHelp(muster);
        String list =
                muster.getSubcommands().get("jobs").getSubcommands().get("list").getUsageMessage(Ansi.OFF);
        assertThat(Cli.run("jobs", "list", "--help").done().out()).isEqualTo(list);
    }

    private static void assertHelp(CommandLine command) {
        String name = command.getCommandSpec().qualifiedName();
        assertThat(command.getCommandSpec().optionsMap()).as(name).containsKey("--help");
        String help = command.getUsageMessage(Ansi.OFF);
        assertThat(help).as(name).startsWith("Usage: ");
        assertThat(help.lines()).as(name).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        command.getSubcommands().values().forEach(UsageTest::assertHelp);
    }

    @Test
    void theCommandThatIsNamedFirstIsTheSameAsAmongAllOthers() {
        MusterCommand.create().getSubcommands().forEach((name, among) -> {
            CommandLine alone =
                    MusterCommand.createFor(name, "--help").getSubcommands().get(name);
            assertThat(alone.getUsageMessage(Ansi.OFF)).isEqualTo(among.getUsageMessage(Ansi.OFF));
            assertThat(alone.isExpandAtFiles()).isEqualTo(among.isExpandAtFiles());
        });
        assertThat(MusterCommand.createFor("jobs", "list").getSubcommands()).doesNotContainKey("queues");
    }

    @Test
    void saysItsVersion() {
        assertThat(Cli.run("--version").done().out()).startsWith("muster ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jobs", "queues", "workflows", "graphs", "cluster", "keys", "migrate", "config"})
    void askAGroupAlone(String group) {
        String[] args = group.isEmpty() ? new String[0] : new String[] {group};
        Cli.run(args).failed(ExitCode.USAGE, "which", "--help");
    }

    @Test
    void unknownWordsAreRefused() {
        Cli.run("jbos").failed(ExitCode.USAGE, "no command 'jbos'", "jobs", "muster --help");
        Cli.run("jobs", "lits").failed(ExitCode.USAGE, "no command 'lits'", "list", "muster jobs --help");
        Cli.run("jobs", "list", "--foo").failed(ExitCode.USAGE, "--foo");
        Cli.run("jobs", "list", "-o", "xml").failed(ExitCode.USAGE, "xml", "json");
    }

    @Test
    void badJobsAreRefused() {
        enqueue("Hello").failed(ExitCode.USAGE, "job name 'Hello'");
        enqueue("hello", "--args", "{").failed(ExitCode.USAGE, "--args is not valid JSON");
        enqueue("hello", "--args", "").failed(ExitCode.USAGE, "--args");
        enqueue("hello", "--args", "{} {}").failed(ExitCode.USAGE, "--args");
        enqueue("hello", "--args", "@/no/such/file").failed(ExitCode.USAGE, "@/no/such/file");
        enqueue("hello", "--delay", "-5s").failed(ExitCode.USAGE, "negative");
        enqueue("hello", "--delay", "5").failed(ExitCode.USAGE, "no unit");
        enqueue("hello", "--priority", "urgent").failed(ExitCode.USAGE, "urgent", "critical");
        enqueue("hello", "--at", "tomorrow").failed(ExitCode.USAGE, "tomorrow");
        enqueue("hello", "--at", "2030-01-01T00:00:00Z", "--delay", "1s").failed(ExitCode.USAGE, "exclude");
        enqueue("hello", "--key", " ").failed(ExitCode.USAGE, "key");
        enqueue("hello", "--queue", "a b").failed(ExitCode.USAGE, "queue 'a b'");
        enqueue("hello", "--capability", "GPU").failed(ExitCode.USAGE, "capability 'GPU'");
        enqueue("hello", "--count", "0").failed(ExitCode.USAGE, "--count");
        enqueue("hello", "--timeout", "1s").failed(ExitCode.USAGE, "--wait");
        enqueue("hello", "--tag", "A B").failed(ExitCode.USAGE, "tag 'A B'");
        enqueue("hello", "--metadata", "tenant").failed(ExitCode.USAGE, "--metadata", "tenant");
        enqueue("hello", "--expires", "0s").failed(ExitCode.USAGE, "expiry");
        enqueue("hello", "--fifo", " ").failed(ExitCode.USAGE, "fifo key");
        enqueue("hello", "--fifo", "a", "--fair-key", "b").failed(ExitCode.USAGE, "fairKey");
        enqueue("hello", "--depends-on", "abc").failed(ExitCode.USAGE, "'abc' is not a job id");
        enqueue("hello", "--max-attempts", "0").failed(ExitCode.USAGE, "maxAttempts");
        enqueue("hello", "--job-timeout", "0s").failed(ExitCode.USAGE, "timeout");
    }

    private static Cli.Result enqueue(String... args) {
        String[] all = new String[args.length + 4];
        all[0] = "jobs";
        all[1] = "enqueue";
        System.arraycopy(args, 0, all, 2, args.length);
        all[args.length + 2] = "--url";
        all[args.length + 3] = NOBODY;
        return Cli.run(all);
    }

    @Test
    void badQuestionsAreRefused() {
        Cli.run("jobs", "show", "abc").failed(ExitCode.USAGE, "'abc' is not a job id");
        Cli.run("jobs", "cancel").failed(ExitCode.USAGE, "ID");
        Cli.run("jobs", "list", "--status", "done").failed(ExitCode.USAGE, "done", "completed");
        Cli.run("jobs", "list", "--limit", "0", "--url", NOBODY).failed(ExitCode.USAGE, "--limit");
        Cli.run("jobs", "list", "--name", "A B", "--url", NOBODY).failed(ExitCode.USAGE, "A B");
        Cli.run("jobs", "list", "--tag", "A B", "--url", NOBODY).failed(ExitCode.USAGE, "A B");
        Cli.run("jobs", "list", "--before", "abc").failed(ExitCode.USAGE, "'abc' is not a job id");
        Cli.run("queues", "pause", "A B", "--url", NOBODY).failed(ExitCode.USAGE, "queue 'A B'");
        Cli.run("queues", "resume").failed(ExitCode.USAGE, "NAME");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "retry"})
    void manyJobsAreNotMeantByAccident(String command) {
        String id = "0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11";
        Cli.run("jobs", command, "--name", "hello").failed(ExitCode.USAGE, "--all");
        Cli.run("jobs", command, id, "--all").failed(ExitCode.USAGE, "exclude");
        Cli.run("jobs", command, id, "--name", "hello").failed(ExitCode.USAGE, "--all");
        Cli.run("jobs", command, "--all").failed(ExitCode.USAGE, "--yes");
        Cli.run("jobs", command, "--all", "--yes", "--url", NOBODY).failed(ExitCode.NO_DATABASE);
        Cli.run("jobs", command, "--all", "--tag", "red", "--url", NOBODY).failed(ExitCode.NO_DATABASE);
    }

    @Test
    void changesOfJobsAreChecked() {
        String id = "0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11";
        Cli.run("jobs", "retry", "--all", "--status", "running", "--url", NOBODY)
                .failed(ExitCode.USAGE, "running", "only failed, cancelled and expired");
        Cli.run("jobs", "retry", "--all", "--yes", "--with-dependents").failed(ExitCode.USAGE, "an ID");
        Cli.run("jobs", "reschedule", id, "--url", NOBODY).failed(ExitCode.USAGE, "--delay", "--at");
        Cli.run("jobs", "reschedule", id, "--delay", "5m", "--at", "2030-01-31T08:00:00Z", "--url", NOBODY)
                .failed(ExitCode.USAGE, "--delay", "--at");
        Cli.run("jobs", "reschedule", id, "--delay", "5m", "--in", "5m", "--url", NOBODY)
                .failed(ExitCode.USAGE, "--delay", "--at");
        Cli.run("jobs", "retry", "--all").failed(ExitCode.USAGE, "means every failed job;");
        Cli.run("jobs", "cancel", "--all").failed(ExitCode.USAGE, "means every job that has not ended;");
        Cli.run("jobs", "reschedule", id, "--at", "tomorrow", "--url", NOBODY).failed(ExitCode.USAGE, "tomorrow");
        Cli.run("jobs", "reprioritise", id, "--url", NOBODY).failed(ExitCode.USAGE, "--priority");
        Cli.run("jobs", "reprioritise", id, "--priority", "urgent", "--url", NOBODY)
                .failed(ExitCode.USAGE, "urgent", "critical");
    }

    @Test
    void badGraphCommandsAreRefused() {
        String id = "0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11";
        Cli.run("graphs", "submit", "--url", NOBODY).failed(ExitCode.USAGE, "FILE");
        Cli.run("graphs", "submit", "/no/such/file", "--url", NOBODY).failed(ExitCode.USAGE, "there is no such file");
        Cli.run("graphs", "submit", "x", "--timeout", "1s", "--url", NOBODY).failed(ExitCode.USAGE, "--wait");
        Cli.run("graphs", "show", "abc").failed(ExitCode.USAGE, "'abc' is not the id of a graph");
        Cli.run("graphs", "list", "--status", "done").failed(ExitCode.USAGE, "done", "completed", "running");
        Cli.run("graphs", "list", "--limit", "0", "--url", NOBODY).failed(ExitCode.USAGE, "--limit");
        Cli.run("graphs", "retry", id, "--url", NOBODY).failed(ExitCode.NO_DATABASE);
    }

    @Test
    void badWorkflowCommandsAreRefused() {
        String id = "0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11";
        Cli.run("workflows", "start", "Checkout", "--url", NOBODY).failed(ExitCode.USAGE, "workflow name 'Checkout'");
        Cli.run("workflows", "start", "checkout", "--version", "V 1", "--url", NOBODY)
                .failed(ExitCode.USAGE, "workflow version 'V 1'");
        Cli.run("workflows", "start", "checkout", "--args", "{", "--url", NOBODY)
                .failed(ExitCode.USAGE, "--args is not valid JSON");
        Cli.run("workflows", "start", "checkout", "--key", "", "--url", NOBODY)
                .failed(ExitCode.USAGE, "a run's key must have");
        Cli.run("workflows", "start", "checkout", "--timeout", "1s", "--url", NOBODY)
                .failed(ExitCode.USAGE, "--wait");
        Cli.run("workflows", "signal", id, "--url", NOBODY).failed(ExitCode.USAGE, "EVENT");
        Cli.run("workflows", "signal", id, "approved", "--payload", "{", "--url", NOBODY)
                .failed(ExitCode.USAGE, "--payload is not valid JSON");
        Cli.run("workflows", "signal", id, "approved", "--payload", "@/no/such/file", "--url", NOBODY)
                .failed(ExitCode.USAGE, "--payload @/no/such/file");
        Cli.run("workflows", "show", "abc").failed(ExitCode.USAGE, "'abc' is not a job id");
        Cli.run("workflows", "list", "--status", "done").failed(ExitCode.USAGE, "done", "completed", "waiting");
        Cli.run("workflows", "list", "--limit", "0", "--url", NOBODY).failed(ExitCode.USAGE, "--limit");
        Cli.run("workflows", "retire", "checkout", "--url", NOBODY).failed(ExitCode.USAGE, "VERSION");
        Cli.run("workflows", "pause", "A B", "--url", NOBODY).failed(ExitCode.USAGE, "workflow name 'A B'");
        Cli.run("workflows", "retry", id, "--url", NOBODY).failed(ExitCode.NO_DATABASE);
    }

    @Test
    void saysWhenThereIsNoDatabase() {
        Cli.run("jobs", "list").failed(ExitCode.USAGE, "--url", "MUSTER_DATABASE_URL");
        Cli.run("jobs", "list", "--url", "mysql://db").failed(ExitCode.USAGE, "jdbc:postgresql:");
        Cli.run("jobs", "list", "--url", NOBODY).failed(ExitCode.NO_DATABASE, "127.0.0.1:" + CLOSED.number() + "/app");
        Cli.run("cluster", "nodes", "--url", NOBODY, "-o", "json").failed(ExitCode.NO_DATABASE);
        Cli.run("migrate", "up", "--url", NOBODY).failed(ExitCode.NO_DATABASE);
        Cli.run("node", "--example", "--url", NOBODY, "--wait-for-database", "0s")
                .failed(ExitCode.NO_DATABASE);
    }

    @Test
    void doesNotWaitForADatabaseThatNeverAnswers() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            String url = "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/app?user=postgres";
            Cli.run("jobs", "list", "--url", url + "&connectTimeout=1")
                    .failed(ExitCode.NO_DATABASE, "it does not answer");
            long begin = System.nanoTime();
            Cli.run("jobs", "list", "--url", url).failed(ExitCode.NO_DATABASE, "it does not answer");
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            Measured.within(Duration.ofSeconds(12), took, "giving up a database that never answers");
        }
    }

    @Test
    void aPasswordInTheUrlIsNeverPrinted() {
        String url = NOBODY + "&password=hunter2";
        assertThat(Cli.run("jobs", "list", "--url", url).err()).doesNotContain("hunter2");
        assertThat(Cli.run("config", "show", "--url", url).done().out()).doesNotContain("hunter2");
    }

    @Test
    void aNodeNeedsAnApplication() {
        Cli.run("node", "--url", NOBODY).failed(ExitCode.USAGE, "--app", "--example");
    }

    @Test
    void optionsOfANodeAreCheckedAsTheSettingsAre() {
        String[] port = {"node", "--example", "--url", NOBODY, "--port", "99999"};
        Cli.run(port).failed(ExitCode.USAGE, "gateway.port", "--port", "99999");
        String[] mode = {"node", "--example", "--url", NOBODY, "--mode", "sleepy"};
        Cli.run(mode).failed(ExitCode.USAGE, "node.mode", "--mode", "sleepy");
        String[] id = {"node", "--example", "--url", NOBODY, "--id", "n".repeat(201)};
        Cli.run(id).failed(ExitCode.USAGE, "node.id", "--id");
        assertThat(Cli.run("node", "--help").done().out()).contains("--port", "--host", "--mode", "--id");
    }

    @Test
    void devTakesNoOtherDatabase() {
        Cli.run("dev", "--url", NOBODY).failed(ExitCode.USAGE, "muster node");
    }

    @Test
    void theDemoNeedsSomeoneToSurvive() {
        Cli.run("demo", "--nodes", "1").failed(ExitCode.USAGE, "--no-kill");
        Cli.run("demo", "--jobs", "0").failed(ExitCode.USAGE, "--jobs");
    }

    @Test
    void checksSettings(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("my.toml"), "[worker]\nleese = \"3s\"\nrenew = \"soon\"\n");
        Cli.run("config", "check", "--config", file.toString())
                .failed(ExitCode.USAGE, "worker.leese", "worker.renew", "my.toml");
        Cli.run("jobs", "list", "--config", file.toString()).failed(ExitCode.USAGE, "worker.leese");
        Cli.run("config", "check", "--config", folder + "/none.toml").failed(ExitCode.USAGE, "does not exist");
        assertThat(Cli.run("config", "check").done().out().strip()).isEqualTo("ok");

        String[] noKeys = {"config", "check", "--set", "encryption.required=true"};
        Cli.run(noKeys).failed(ExitCode.USAGE, "encryption.required is true", "encryption.keys");

        Cli.Result bad = Cli.run("config", "check", "-o", "json", "--config", file.toString());
        assertThat(bad.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(bad.json().get("ok").asBoolean()).isFalse();
        assertThat(bad.json().get("problems").size()).isEqualTo(2);
    }

    @Test
    void showsSettingsAndWhereTheyCameFrom(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("my.toml"), "[database]\npassword = \"hunter2\"\n[worker]\nconcurrency = 3\n");
        Cli.Result result = Cli.run("config", "show", "-o", "json", "--config", file.toString(), "--set", "node.name=n")
                .done();
        assertThat(result.out()).doesNotContain("hunter2");
        assertThat(entry(result.json(), "worker.concurrency")).isEqualTo("3 from my.toml");
        assertThat(entry(result.json(), "node.name")).isEqualTo("n from --set");
        assertThat(entry(result.json(), "worker.lease")).isEqualTo("30s from default");
    }

    private static String entry(JsonNode list, String key) {
        for (JsonNode entry : list) {
            if (entry.get("key").asString().equals(key)) {
                assertThat(entry.get("description").asString()).isNotBlank();
                return entry.get("value").asString() + " from "
                        + entry.get("source").asString();
            }
        }
        throw new AssertionError(key + " is not listed");
    }
}
