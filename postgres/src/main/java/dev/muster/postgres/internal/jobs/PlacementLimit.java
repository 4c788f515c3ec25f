package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.NewJob;
import dev.muster.job.InvalidJob;
import dev.muster.job.Lane;
import dev.muster.job.Placement;
import dev.muster.postgres.internal.db.Database;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits the placements of a queue, because nodes ask each lane by itself: {@code muster_placements} has a row for each of them, and so
 * many slots per queue. Only expressions count. A job with one that this process has used lately costs nothing more than a plain job. A tenant
 * gets 20 of them, and all tenants together half: what the jobs of tenants are placed by leaves room for others.
 */
public final class PlacementLimit {
    private static final int MAX_PER_QUEUE = 200;
    private static final int MAX_PER_TENANT = 20;
    private static final int TRIES = 20;
    private static final int MAX_REMEMBERED = 10_000;
    private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Database database;
    private final Clock clock;

    /** Placements that are in the table, committed, and when they were seen there. */
    private final ConcurrentHashMap<Lane, Long> seen = new ConcurrentHashMap<>();

    public PlacementLimit(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /**
     * Makes sure that the placements of these jobs are within the limit, in a transaction of its own.
     *
     * @throws InvalidJob if a queue has no room for another one
     */
    void admit(List<NewJob> jobs) {
        Map<Lane, Optional<String>> unknown = unknown(jobs);
        if (unknown.isEmpty()) {
            return;
        }
        database.inTransaction(connection -> {
            note(connection, unknown);
            return null;
        });
        remember(unknown.keySet());
    }

    /**
     * Makes sure of the same in the caller's transaction. Whoever uses one of these placements for the first time meanwhile waits for its
     * end.
     */
    void admit(Connection connection, List<NewJob> jobs) throws SQLException {
        admitUnknown(connection, unknown(jobs));
    }

    /** The same for jobs that will be added later. */
    public void admit(Connection connection, Set<Lane> lanes) throws SQLException {
        Map<Lane, Optional<String>> wanted = new HashMap<>();
        lanes.forEach(lane -> want(wanted, lane, null));
        admit(connection, wanted);
    }

    /** The same for the jobs of tenants. */
    void admit(Connection connection, Map<Lane, Optional<String>> wanted) throws SQLException {
        Map<Lane, Optional<String>> unknown = new HashMap<>(wanted);
        unknown.keySet().removeIf(this::isRemembered);
        admitUnknown(connection, unknown);
    }

    /** Adds the placement of a job; if several want it, it counts for the cluster unless all of them are of tenants. */
    static void want(Map<Lane, Optional<String>> wanted, Lane lane, @Nullable String tenant) {
        if (Placement.isExpression(lane.capability())) {
            wanted.merge(lane, Optional.ofNullable(tenant), (one, other) -> one.isEmpty() ? one : other);
        }
    }

    private void admitUnknown(Connection connection, Map<Lane, Optional<String>> unknown) throws SQLException {
        if (unknown.isEmpty()) {
            return;
        }
        // None is remembered: a row that is seen here may be this transaction's own, and gone after a rollback.
        note(connection, unknown);
    }

    private void note(Connection connection, Map<Lane, Optional<String>> unknown) throws SQLException {
        Set<Lane> missing = new HashSet<>(unknown.keySet());
        List<Lane> old = known(connection, missing);
        touch(connection, old);
        take(connection, missing, unknown);
    }

    private Map<Lane, Optional<String>> unknown(List<NewJob> jobs) {
        Map<Lane, Optional<String>> unknown = Map.of();
        for (NewJob job : jobs) {
            if (Placement.isExpression(job.lane().capability()) && !isRemembered(job.lane())) {
                unknown = unknown.isEmpty() ? new HashMap<>() : unknown;
                want(unknown, job.lane(), job.placedBy());
            }
        }
        return unknown;
    }

    private boolean isRemembered(Lane lane) {
        Long at = seen.get(lane);
        return at != null && clock.nanos() - at < REMEMBERED_NANOS;
    }

    private void remember(Collection<Lane> lanes) {
        if (seen.size() > MAX_REMEMBERED) {
            seen.clear();
        }
        lanes.forEach(lane -> seen.put(lane, clock.nanos()));
    }

    /** Removes the known ones from {@code lanes}, and returns those that nobody has noted the use of for long. */
    private List<Lane> known(Connection connection, Set<Lane> lanes) throws SQLException {
        List<Lane> asked = List.copyOf(lanes);
        List<Lane> old = new ArrayList<>();
        database.preparedQuery("placements/known")
                .with(p -> p.column("text", asked, Lane::queue).column("text", asked, Lane::capability))
                .each(connection, row -> {
                    Lane lane = new Lane(row.getString("queue"), row.getString("expression"));
                    lanes.remove(lane);
                    if (row.getBoolean("old")) {
                        old.add(lane);
                    }
                });
        return old;
    }

    private void touch(Connection connection, List<Lane> lanes) throws SQLException {
        if (!lanes.isEmpty()) {
            database.preparedQuery("placements/touch")
                    .with(p -> p.column("text", lanes, Lane::queue).column("text", lanes, Lane::capability))
                    .update(connection);
        }
    }

    /** Adds them in the same order as everybody, so that two transactions do not wait for each other. */
    private void take(Connection connection, Set<Lane> lanes, Map<Lane, Optional<String>> tenants) throws SQLException {
        List<Lane> ordered = lanes.stream()
                .sorted(Comparator.comparing(Lane::queue).thenComparing(Lane::capability))
                .toList();
        for (Lane lane : ordered) {
            takeSlot(connection, lane, tenants.getOrDefault(lane, Optional.empty()));
        }
    }

    private void takeSlot(Connection connection, Lane lane, Optional<String> tenant) throws SQLException {
        boolean shareIsUsed = false;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            int[] free = new int[2];
            boolean taken = database.preparedQuery("placements/take_slot")
                    .with(p -> p.text(lane.queue()).text(lane.capability()).text(tenant.orElse(null)))
                    .one(connection, row -> {
                        free[0] = row.getInt("free");
                        free[1] = row.getInt("of_tenant");
                        return row.getInt("taken") > 0;
                    });
            if (taken) {
                return;
            }
            Set<Lane> missing = new HashSet<>(Set.of(lane));
            known(connection, missing);
            if (missing.isEmpty()) {
                return;
            }
            shareIsUsed = tenant.isPresent() && free[1] == 0;
            if (free[0] == 0 || shareIsUsed) {
                break;
            }
        }
        if (shareIsUsed) {
            throw new InvalidJob("queue '" + lane.queue() + "' has jobs of the tenant " + tenant.get() + " with "
                    + MAX_PER_TENANT + " different placements, the most that a tenant may have, and '"
                    + lane.capability() + "' would be one more; a placement stops counting a day after its last use");
        }
        if (tenant.isPresent()) {
            throw new InvalidJob("queue '" + lane.queue()
                    + "' has no room for another placement that a tenant has named," + " and '" + lane.capability()
                    + "' would be one; a placement stops counting a day after its last use");
        }
        throw new InvalidJob("queue '" + lane.queue() + "' has jobs with " + MAX_PER_QUEUE
                + " different placements, the most that are allowed, and '" + lane.capability()
                + "' would be one more. Give nodes a capability or a label in common instead of naming them one by one, or use"
                + " another queue; a placement stops counting a day after its last use");
    }
}
