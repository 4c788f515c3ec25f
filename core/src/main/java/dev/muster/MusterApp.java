package dev.muster;

import javax.sql.DataSource;

/**
 * An application that {@code muster node} can load. It is found in its jar with {@link java.util.ServiceLoader}.
 *
 * <pre>{@code
 * public final class ShopApp implements MusterApp {
 *     public void register(MusterBuilder node, DataSource database) {
 *         node.register(new Orders(database, node.jobs(), node.locks()));
 *     }
 *
 *     public void started(Muster muster) {
 *         muster.jobs().enqueue(JobRequest.of("warm_cache").key("warm-" + VERSION));
 *     }
 * }
 * }</pre>
 */
@FunctionalInterface
public interface MusterApp {

    /**
     * Adds the application's handlers. There is no node yet: {@code node.jobs()}, {@code node.locks()}, {@code
     * node.leadership(role)} and the like can be passed to handlers here, which can use them once they run.
     *
     * @param database connections for the application's own tables, in the database that Muster uses
     */
    void register(MusterBuilder node, DataSource database);

    /**
     * Called when the node has joined the cluster and runs jobs. The node counts as started when this returns. If it throws, the
     * node drains and the process ends with exit code 1.
     *
     * @param muster the node; the application must not close it
     */
    default void started(Muster muster) {}
}
