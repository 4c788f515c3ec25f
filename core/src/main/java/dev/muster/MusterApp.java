package dev.muster;

import javax.sql.DataSource;

/**
 * An application that a node started from the command line can load; found in its jar by {@link java.util.ServiceLoader}.
 *
 * <pre>{@code
 * public final class ShopApp implements MusterApp {
 *     public void register(Muster.Builder node, DataSource database) {
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
     * node.leadership(role)} and the like can be handed to handlers here, and used by them once they run.
     *
     * @param database connections for the application's own tables, in the database that Muster uses
     */
    void register(Muster.Builder node, DataSource database);

    /**
     * Does what the application has to do when its node has joined the cluster and runs jobs. The node counts as started
     * when this returns. If it throws, the node drains and the process ends with exit code 1.
     *
     * @param muster the node; it is not the application's to close
     */
    default void started(Muster muster) {}
}
