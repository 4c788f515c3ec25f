package dev.muster.chaos;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.workflow.Workflows;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

/**
 * A node, and an operator who does many things at once, each of which stands still before one of its commits until the process is killed.
 * Arguments: the URL of the database, then for each thing the verb, what it is about, and the number of the commit. The node stands still
 * when it asks a second time which children of a run are left to be asked to end.
 */
final class VerbsMain {
    static final String AT = "AT ";
    static final String DONE = "DONE ";

    private VerbsMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        MusterConfig config = MusterConfig.defaults()
                .with(ChaosIT.CALM)
                .with(Map.of("database.url", arguments[0], "node.id", "a", "database.pool_size", "4"));
        for (int i = 1; i < arguments.length; i++) {
            String order = arguments[i];
            new Thread(() -> obey(config, order), order).start();
        }
        AtomicInteger asked = new AtomicInteger();
        HikariDataSource pool = NodeMain.connections(config.database());
        MusterBuilder builder = Muster.builder().config(config).dataSource(watched(pool, (method, text) -> {
            if (text.contains("NOT r.cancel_requested LIMIT") && asked.incrementAndGet() == 2) {
                standStill("children");
            }
        }));
        NodeMain.register(new Managed(), builder, pool, "a", arguments[0]);
        builder.build().start();
        System.out.println(NodeProcess.READY);
        new CountDownLatch(1).await();
    }

    private static void obey(MusterConfig config, String order) {
        String[] parts = order.split("/");
        int point = Integer.parseInt(parts[2]);
        AtomicInteger commits = new AtomicInteger();
        try (HikariDataSource pool = NodeMain.connections(config.database());
                Muster muster = Muster.builder()
                        .config(config)
                        .dataSource(watched(pool, (method, text) -> {
                            if (method.equals("commit") && commits.incrementAndGet() == point) {
                                standStill(order);
                            }
                        }))
                        .build()) {
            Workflows workflows = muster.workflows();
            switch (parts[0]) {
                case "resume" -> workflows.resume(parts[1]);
                case "retire" -> workflows.retire(parts[1], "v1", "gone for good");
                case "retry" -> workflows.retry(JobId.of(parts[1]));
                default -> workflows.cancel(JobId.of(parts[1]), "enough");
            }
            System.out.println(DONE + order);
        }
    }

    private static void standStill(String what) {
        System.out.println(AT + what);
        while (true) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // The process is to die exactly here.
            }
        }
    }

    /** @param before told of the name and the first argument of each call to a connection */
    private static DataSource watched(DataSource real, BiConsumer<String, String> before) {
        return proxy(DataSource.class, real, (method, text) -> {}, before);
    }

    private static <T> T proxy(
            Class<T> type, T real, BiConsumer<String, String> told, BiConsumer<String, String> ofConnections) {
        return type.cast(Proxy.newProxyInstance(
                VerbsMain.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    told.accept(
                            method.getName(),
                            arguments == null || arguments.length == 0 ? "" : String.valueOf(arguments[0]));
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Connection connection && type == DataSource.class
                                ? proxy(Connection.class, connection, ofConnections, ofConnections)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
