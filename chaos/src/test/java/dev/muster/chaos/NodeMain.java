package dev.muster.chaos;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.config.DatabaseConfig;
import dev.muster.config.MusterConfig;
import dev.muster.postgres.internal.PostgresConnections;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.sql.DataSource;

/**
 * A node for tests to mistreat. Arguments are settings, {@code key=value}; {@code witness=<url>} names the witness, {@code app=<class>}
 * the application, by default {@link Work}. Understands {@code load}, {@code memory} and {@code port} on standard input.
 */
final class NodeMain {
    private NodeMain() {}

    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = new HashMap<>();
        MusterApp app = new Work();
        MusterBuilder builder = Muster.builder().config(MusterConfig.defaults());
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            if (parts[0].equals("witness")) {
                builder.interceptor(new Probe(new Witness(parts[1])));
            } else if (parts[0].equals("app")) {
                app = application(parts[1]);
            } else {
                settings.put(parts[0], parts[1]);
            }
        }
        MusterConfig config = MusterConfig.defaults().with(settings);
        builder.config(config);
        register(app, builder, connections(config.database()), settings.get("node.id"), settings.get("database.url"));
        Muster muster = builder.build();
        Runtime.getRuntime().addShutdownHook(new Thread(muster::close, "shutdown"));
        try {
            muster.start();
        } catch (RuntimeException e) {
            System.err.println("node did not start: " + e.getMessage());
            System.exit(1);
        }
        System.out.println(NodeProcess.READY);
        endWhenDrained(muster);
        obey(muster);
    }

    static void register(MusterApp app, MusterBuilder builder, DataSource connections, String node, String url) {
        if (app instanceof ChaosApp here) {
            here.on(node, url);
        }
        app.register(builder, connections);
    }

    /** A node that has left the cluster has nothing more to do, as with {@code muster node}. */
    private static void endWhenDrained(Muster muster) {
        Thread thread = new Thread(
                () -> {
                    muster.awaitDrained();
                    System.exit(0);
                },
                "end-when-drained");
        thread.setDaemon(true);
        thread.start();
    }

    static MusterApp application(String name) {
        try {
            return (MusterApp) Class.forName(name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("there is no application " + name, e);
        }
    }

    static HikariDataSource connections(DatabaseConfig config) {
        return new PostgresConnections(config.url().orElseThrow(), config).pool("app", 4);
    }

    /** Until the test is gone. */
    private static void obey(Muster muster) throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        String order;
        while ((order = orders.readLine()) != null) {
            if (order.equals("load")) {
                System.out.println("LOAD " + busyConnections() + " " + threads());
            }
            if (order.equals("memory")) {
                System.gc();
                System.out.println("MEMORY "
                        + ManagementFactory.getMemoryMXBean()
                                .getHeapMemoryUsage()
                                .getUsed());
            }
            if (order.equals("port")) {
                System.out.println("PORT " + muster.ports().get(0));
            }
        }
        Runtime.getRuntime().halt(3);
    }

    private static int busyConnections() {
        try {
            return (Integer) ManagementFactory.getPlatformMBeanServer()
                    .getAttribute(new ObjectName("com.zaxxer.hikari:type=Pool (muster)"), "ActiveConnections");
        } catch (JMException e) {
            throw new IllegalStateException("the pool must be started with registerMbeans", e);
        }
    }

    /** The names of all threads but those that pools keep for a moment. */
    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> !name.contains("connection-"))
                .map(name -> name.replace(' ', '_'))
                .sorted()
                .toList();
    }
}
