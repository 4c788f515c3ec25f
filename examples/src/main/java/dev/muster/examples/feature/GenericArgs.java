package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobType;
import dev.muster.job.TypeRef;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * The arguments of a job may have a generic type such as {@code List<Order>}, which a {@code TypeRef} can name and a class
 * cannot.
 *
 * <pre>
 * total: 12
 * </pre>
 */
final class GenericArgs implements Example {
    record Order(String item, int count) {}

    static final JobType<List<Order>, Integer> IMPORT =
            JobType.of("import", new TypeRef<List<Order>>() {}, Integer.class);

    @Job("import")
    int importOrders(List<Order> orders) {
        return orders.stream().mapToInt(Order::count).sum();
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            JobId id = muster.jobs().enqueue(IMPORT, List.of(new Order("apple", 5), new Order("pear", 7)));
            var job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println("total: " + muster.jobs().result(IMPORT, job));
        }
    }
}
