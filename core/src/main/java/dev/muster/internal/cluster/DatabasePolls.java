package dev.muster.internal.cluster;

import dev.muster.config.ClusterConfig;
import dev.muster.internal.runtime.PollAlignment;
import dev.muster.runtime.Clock;
import java.time.Duration;

/**
 * The statements that a node sends to the database all the time: its heartbeat, the elections, and looking after others.
 *
 * @param contact whether the database has answered them without interruption
 * @param alignment lets them fall together
 */
public record DatabasePolls(DatabaseContact contact, PollAlignment alignment) {

    /** @param every how often the most frequent of them is sent */
    public static DatabasePolls of(ClusterConfig config, Duration every, Clock clock) {
        return new DatabasePolls(new DatabaseContact(clock, config), new PollAlignment(every, clock));
    }
}
