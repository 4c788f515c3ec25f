package dev.muster.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A function as its node publishes it, for other nodes and for people.
 *
 * @param kind {@code query} or {@code mutation}
 * @param roles the roles of which a caller needs one, sorted; empty if none is needed
 * @param timeout how long a call may take
 * @param limit how often it may be called, in words
 * @param args the type of its args, in words; empty if it takes none
 * @param result the type of its result, in words
 */
public record PublishedFunction(
        String name,
        String kind,
        List<String> roles,
        Duration timeout,
        Optional<String> limit,
        Optional<String> args,
        String result) {

    public PublishedFunction {
        roles = List.copyOf(roles);
    }
}
