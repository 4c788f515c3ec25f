package dev.muster.internal.worker;

import dev.muster.internal.runtime.ConnectionSource;
import dev.muster.job.Jobs;

/**
 * What handlers reach through their context.
 *
 * @param node the id of the node that they run on
 * @param connections for tables of their own
 * @param jobs through which they enqueue
 */
public record HandlerAccess(String node, ConnectionSource connections, Jobs jobs) {}
