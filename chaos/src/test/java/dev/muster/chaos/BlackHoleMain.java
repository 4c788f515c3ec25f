package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import dev.muster.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs in a network namespace of its own, as its root: a PostgreSQL and a candidate there, the leader in another
 * namespace behind a virtual cable. The cable then swallows every packet, each way, and resets nothing: frames go to
 * an address that nobody has. Prints {@code REPLACED <milliseconds>} and what became of the old leader's write.
 */
final class BlackHoleMain {
    private static final String SERVER = "10.99.0.1";
    private static final String LEADER = "10.99.0.2";

    private BlackHoleMain() {}

    public static void main(String[] settings) throws Exception {
        System.out.println(NodeProcess.READY);
        run("ip", "link", "set", "lo", "up");
        Process island = new ProcessBuilder("unshare", "-n", "sleep", "600").start();
        try {
            List<String> there = List.of("nsenter", "-t", Long.toString(island.pid()), "-n");
            layCable(island.pid(), there);
            show(there, settings);
        } finally {
            island.destroyForcibly();
        }
    }

    private static void layCable(long island, List<String> there) throws Exception {
        // The program has its namespace only some moments after it was started.
        Path here = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
        await("a network namespace, made by unshare -n")
                .pollInterval(Duration.ofMillis(10))
                .until(() -> !Files.readSymbolicLink(Path.of("/proc/" + island + "/ns/net"))
                        .equals(here));
        run("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns", Long.toString(island));
        run("ip", "addr", "add", SERVER + "/24", "dev", "v0");
        run("ip", "link", "set", "v0", "up");
        run(there, "ip", "addr", "add", LEADER + "/24", "dev", "v1");
        run(there, "ip", "link", "set", "v1", "up");
        run(there, "ip", "link", "set", "lo", "up");
    }

    private static void show(List<String> there, String[] settings) throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
            openTo(server);
            String url = server.jdbcUrl();
            Map<String, String> given = new java.util.HashMap<>();
            for (String setting : settings) {
                given.put(setting.split("=", 2)[0], setting.split("=", 2)[1]);
            }
            String remote = url.replace("127.0.0.1", SERVER);
            try (LeaderProcess leader = LeaderProcess.start(there, "a", remote, given);
                    LeaderProcess other = LeaderProcess.start("b", url, given)) {
                sql(url, "CREATE TABLE written (node text, what text)");
                leader.awaitLeads(Duration.ofSeconds(90));
                System.out.println("BEFORE " + leader.write());
                long start = System.nanoTime();
                swallow(there, true);
                other.awaitLeads(Duration.ofSeconds(90));
                System.out.println("REPLACED " + (System.nanoTime() - start) / 1_000_000);
                swallow(there, false);
                System.out.println("AFTER " + leader.write());
                System.out.println("OTHER " + other.write());
            }
        }
    }

    private static void swallow(List<String> there, boolean on) throws Exception {
        if (on) {
            run("ip", "neigh", "replace", LEADER, "lladdr", "02:00:00:00:00:98", "dev", "v0", "nud", "permanent");
            run(
                    there,
                    "ip",
                    "neigh",
                    "replace",
                    SERVER,
                    "lladdr",
                    "02:00:00:00:00:99",
                    "dev",
                    "v1",
                    "nud",
                    "permanent");
        } else {
            run("ip", "neigh", "del", LEADER, "dev", "v0");
            run(there, "ip", "neigh", "del", SERVER, "dev", "v1");
        }
    }

    /** Lets the server listen on the cable's end as well. */
    private static void openTo(EmbeddedPostgres server) throws IOException, SQLException {
        sql(server.jdbcUrl(), "ALTER SYSTEM SET listen_addresses = '127.0.0.1, " + SERVER + "'");
        Files.writeString(
                server.dataDirectory().resolve("pgdata/pg_hba.conf"),
                "host all all " + LEADER + "/32 trust\n",
                StandardOpenOption.APPEND);
        server.restartImmediate();
    }

    private static void sql(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void run(String... command) throws Exception {
        run(List.of(), command);
    }

    private static void run(List<String> prefix, String... command) throws Exception {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(List.of(command));
        Process process = new ProcessBuilder(all).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", all) + " failed");
        }
    }
}
