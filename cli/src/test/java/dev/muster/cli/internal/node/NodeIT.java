package dev.muster.cli.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cli.Cli;
import dev.muster.cli.CliProcess;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.testing.LongTest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes as processes. */
@Order(1)
class NodeIT extends OnTestDatabase {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    private CliProcess node(String... args) throws IOException {
        return CliProcess.start(folder, Map.of("MUSTER_DATABASE_URL", Cli.url(database)), args);
    }

    private static void awaitReady(CliProcess node) {
        await().atMost(PATIENCE).until(() -> node.err().contains(" ready "));
    }

    @Test
    void sigtermDrains() throws Exception {
        try (CliProcess node = node("node", "--example", "--set", "node.id=n1")) {
            awaitReady(node);
            assertThat(database.column("SELECT id FROM muster_nodes")).containsExactly("n1");
            Cli.run("jobs", "enqueue", "sleep", "--args", "{\"ms\":1500}", "--url", Cli.url(database))
                    .done();
            await().until(() ->
                    database.number("SELECT count(*) FROM muster_jobs WHERE name = 'sleep' AND status <> 'pending'")
                            == 1);

            node.process().destroy();
            Cli.Result result = node.await();

            assertThat(result.exit()).as(result.err()).isZero();
            assertThat(result.out()).isEmpty();
            assertThat(result.err())
                    .contains("level=INFO node=n1 draining", "level=INFO node=n1 stopped")
                    .doesNotContain("Exception", "level=ERROR");
            assertThat(database.column("SELECT id FROM muster_nodes")).isEmpty();
            assertThat(database.column("SELECT status FROM muster_job_history WHERE name = 'sleep'"))
                    .containsExactly("completed");
        }
    }

    @Test
    void aHandlerThatCallsSystemExitIsChargedAndTheExitCodeIsNotZero() throws Exception {
        try (CliProcess node = node("node", "--example", "--set", "node.id=n1")) {
            awaitReady(node);
            Cli.run("jobs", "enqueue", "exit", "--url", Cli.url(database)).done();
            Cli.Result result = node.await();

            assertThat(result.exit()).as(result.err()).isEqualTo(ExitCode.FAILED);
            assertThat(result.err()).contains("called System.exit", "stopped");
            assertThat(database.column(
                            "SELECT status || ' ' || crashes || ' ' || suspect FROM muster_jobs WHERE name = 'exit'"))
                    .containsExactly("pending 1 true");
            assertThat(database.column("SELECT id FROM muster_nodes")).isEmpty();
        }
    }

    @Test
    void aSingleWorkerThatWaitsForAnotherCanBeStopped() throws Exception {
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at, claiming, handlers) VALUES ('other', gen_random_uuid(), 'active', clock_timestamp(),"
                + " interval '1 day', clock_timestamp(), false, '{\"sleep\": {}}')");
        try (CliProcess stopped = node("node", "--example", "--set", "worker.claiming=false")) {
            await().atMost(PATIENCE).until(() -> stopped.err().contains("waits for other workers to leave"));
            stopped.process().destroy();
            assertThat(stopped.await().exit()).as(stopped.err()).isZero();
            assertThat(stopped.err()).doesNotContain(" ready ");
        }
    }

    @LongTest(
            twin = NodeIT.class,
            test = "aSingleWorkerThatWaitsForAnotherCanBeStopped",
            why = "the successor waits for as long as the default settings say")
    @Test
    void theSuccessorOfASingleWorkerThatWasKilledTakesOver() throws Exception {
        String[] single = {"node", "--example", "--set", "worker.claiming=false"};
        try (CliProcess killed = node(single)) {
            awaitReady(killed);
            Cli.on(database, "jobs", "enqueue", "sleep", "--args", "{\"ms\":1000}")
                    .done();
            await().until(() ->
                    database.number("SELECT count(*) FROM muster_jobs WHERE name = 'sleep' AND status <> 'pending'")
                            == 1);
            killed.process().destroyForcibly().waitFor();
        }
        try (CliProcess successor = node(single)) {
            awaitReady(successor);
            await().until(() -> database.column("SELECT status FROM muster_job_history WHERE name = 'sleep'")
                    .equals(List.of("completed")));
        }
    }

    @Test
    void aPortThatIsTakenIsAnError() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());
            Cli.Result result = Cli.on(database, "node", "--example", "--set", "gateway.port=" + port);
            result.failed(ExitCode.FAILED, "cannot listen at 127.0.0.1:" + port, "gateway.port");
        }
    }

    @Test
    void doesNotOutliveItsParentIfToldSo() throws Exception {
        try (CliProcess node = node("node", "--example", "--stop-with-stdin")) {
            awaitReady(node);
            node.process().getOutputStream().close();
            assertThat(node.await().exit()).isEqualTo(1);
        }
    }

    @Test
    void hasOptionsForWhatDiffersFromNodeToNodeAndEndsWhenItIsDrained() throws Exception {
        try (CliProcess node =
                node("node", "--example", "--id", "n7", "--mode", "leader", "--host", "127.0.0.1", "--port", "0")) {
            awaitReady(node);
            assertThat(database.column("SELECT id || ' ' || array_to_string(roles, ',') FROM muster_nodes"))
                    .containsExactly("n7 gateway,function,scheduler");

            database.execute("UPDATE muster_nodes SET status = 'draining' WHERE id = 'n7'");
            Cli.Result result = node.await();

            assertThat(result.exit()).as(result.err()).isZero();
            assertThat(result.err()).contains("was told to drain", "stopped").doesNotContain("Exception");
            assertThat(database.column("SELECT id FROM muster_nodes")).isEmpty();
        }
    }

    @Test
    void loadsAnApplication() throws Exception {
        Path jar = jar(true);
        try (CliProcess node = node(
                "node", "--app", jar.toString(), "--set", "node.name=blue 1", "--set", "node.id=n0", "--id", "n1")) {
            awaitReady(node);
            assertThat(node.err()).contains("level=INFO node=n1 name=\"blue 1\" ready ");
            assertThat(database.column("SELECT id || ' ' || version FROM muster_nodes"))
                    .containsExactly("n1 7.1");
            Cli.Result result = Cli.run(
                    "jobs",
                    "enqueue",
                    "shout",
                    "--args",
                    "\"hey\"",
                    "--wait",
                    "-o",
                    "json",
                    "--url",
                    Cli.url(database));
            assertThat(result.done().json().get("result").asString()).isEqualTo("HEY");
            Cli.run("jobs", "enqueue", "hello", "--url", Cli.url(database)).failed(ExitCode.USAGE, "shout");

            // The application's handlers enqueue, lock and ask who leads; it did something when its node had started.
            Cli.Result later = Cli.run(
                    "jobs",
                    "enqueue",
                    "shout_later",
                    "--args",
                    "\"you\"",
                    "--wait",
                    "-o",
                    "json",
                    "--url",
                    Cli.url(database));
            assertThat(later.done().json().get("result").asString()).isEqualTo("leader");
            await().untilAsserted(() -> assertThat(
                            database.column("SELECT result #>> '{}' FROM muster_job_history WHERE name = 'shout'"))
                    .containsExactlyInAnyOrder("STARTED", "HEY", "YOU"));
        }
    }

    @Test
    void anApplicationThatFailsToStartEndsTheNodeAsAFailureWhateverItThrew() throws Exception {
        try (CliProcess node =
                node("node", "--app", jar(true).toString(), "--set", "node.id=" + ShoutApp.FAILS_TO_START)) {
            Cli.Result result = node.await();
            assertThat(result.exit()).as(result.err()).isEqualTo(ExitCode.FAILED);
            assertThat(result.err())
                    .contains("at dev.muster.cli.internal.node.ShoutApp.started")
                    .contains("\nmuster: started() of " + ShoutApp.class.getName() + " failed: ", "Not A Name");
        }
        assertThat(database.column("SELECT id FROM muster_nodes")).isEmpty();
    }

    @Test
    void saysWhatIsWrongWithAnApplication() throws Exception {
        Cli.on(database, "node", "--app", jar(false).toString())
                .failed(ExitCode.USAGE, "META-INF/services/dev.muster.MusterApp");
        Cli.on(database, "node", "--app", "none.jar").failed(ExitCode.USAGE, "none.jar");
    }

    private static Manifest manifest() {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, "7.1");
        return manifest;
    }

    private Path jar(boolean withService) throws IOException {
        Path jar = folder.resolve("app.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest())) {
            for (Class<?> type : new Class<?>[] {ShoutApp.class, ShoutApp.Handlers.class}) {
                String path = type.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(path));
                try (InputStream in = type.getClassLoader().getResourceAsStream(path)) {
                    in.transferTo(out);
                }
            }
            if (withService) {
                out.putNextEntry(new JarEntry("META-INF/services/dev.muster.MusterApp"));
                out.write(ShoutApp.class.getName().getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    @Test
    void devBringsItsOwnDatabaseAndKeepsIt() throws Exception {
        String id;
        try (CliProcess dev = node("dev")) {
            await().atMost(PATIENCE).until(() -> dev.out().contains("Ctrl-C"));
            Cli.Result job = Cli.run(
                    "jobs",
                    "enqueue",
                    "hello",
                    "--args",
                    "{\"name\":\"x\"}",
                    "--wait",
                    "-o",
                    "json",
                    "--url",
                    url(dev));
            id = job.done().json().get("id").asString();
            dev.process().destroy();
            assertThat(dev.await().exit()).isZero();
        }
        try (CliProcess dev =
                node("dev", "--data", folder.resolve(".muster/data").toString())) {
            await().atMost(PATIENCE).until(() -> dev.out().contains("Ctrl-C"));
            Cli.run("jobs", "show", id, "--url", url(dev)).done();
            dev.process().destroy();
            assertThat(dev.await().exit()).isZero();
        }
    }

    private static String url(CliProcess dev) throws IOException {
        return dev.out().replaceAll("(?s).*MUSTER_DATABASE_URL='([^']*)'.*", "$1");
    }
}
