package dev.muster.postgres.jobs;

import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.store.DependencyStore;
import dev.muster.job.store.NewJob;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import dev.muster.postgres.db.TimeBudget;
import dev.muster.postgres.recovery.SweepFloors.WaitingFloor;
import dev.muster.postgres.wakeup.PostgresCoordinator;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Jobs that wait for others. A child is resolved when it is enqueued, when a parent ends, and by a sweep: a
 * parent that ends while its child is not committed yet cannot know of it, and only the sweep sees both.
 */
public final class PostgresDependencyStore implements DependencyStore {
    /** Followed by the first of the jobs that wait again, on the channel of wake-ups. */
    public static final String WAITS_AGAIN = "waits-again:";

    private static final UUID BEGINNING = new UUID(0, 0);
    private static final int SWEEP_WINDOW = 5_000;

    /** Children that are resolved in one transaction. */
    private static final int BATCH = 2_000;

    /** A node that ends a parent within this time after the cluster's first child may leave the child to the sweep. */
    private static final long ASK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A child with an id from long ago is found by the search through everything, so late. */
    private static final long EVERYTHING_EVERY_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Of its time a node may spend one part in so many on that search. */
    private static final long SHARE = 50;

    private static final long EVERYTHING_AT_LAST_NANOS = TimeUnit.MINUTES.toNanos(30);

    private final Database database;
    private final WaitingFloor floor;
    private final Clock clock;
    private final TimeBudget everything;
    private UUID sweptUpTo = BEGINNING;

    /** Whether any job may wait for another; asked now and then, so that a cluster without dependencies pays next to nothing. */
    private volatile boolean inUse = true;

    private final AtomicLong askedAt;

    public PostgresDependencyStore(Database database, WaitingFloor floor, Clock clock) {
        this.database = database;
        this.floor = floor;
        this.clock = clock;
        this.everything = new TimeBudget(clock, SHARE, EVERYTHING_EVERY_NANOS, EVERYTHING_AT_LAST_NANOS);
        this.askedAt = new AtomicLong(clock.nanos() - ASK_EVERY_NANOS);
    }

    /**
     * What a resolution changed.
     *
     * @param changed whether any of the jobs still waited
     */
    private record Resolved(Set<Lane> freed, List<UUID> cancelled, boolean changed) {}

    /** Records the edges of new jobs, refuses unknown parents, and resolves what can be resolved already. */
    void record(Connection connection, List<NewJob> jobs) throws SQLException {
        List<UUID> children = new ArrayList<>();
        List<UUID> parents = new ArrayList<>();
        List<Boolean> anyOutcome = new ArrayList<>();
        Set<UUID> waiting = new HashSet<>();
        for (NewJob job : jobs) {
            int first = parents.size();
            for (JobId parent : job.parents()) {
                children.add(job.id().value());
                parents.add(parent.value());
                // Those that must complete come first.
                anyOutcome.add(parents.size() - first > job.dependsOn().size());
                waiting.add(job.id().value());
            }
        }
        if (children.isEmpty()) {
            return;
        }
        refuseCycles(jobs);
        inUse = true;
        List<UUID> unknown = new ArrayList<>();
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/depend"))) {
            ResultSet rows = new Params(statement)
                    .uuids(children)
                    .uuids(parents)
                    .column("bool", anyOutcome, any -> any)
                    .query();
            while (rows.next()) {
                unknown.add(rows.getObject(1, UUID.class));
            }
        }
        if (!unknown.isEmpty()) {
            throw new InvalidJob("dependsOn names jobs that do not exist: " + unknown);
        }
        resolveAll(connection, waiting);
    }

    /**
     * Resolves jobs that have just been put back to wait for what they depend on. Their ids are old, and may lie before where
     * nodes look for jobs that wait: the commit tells every node the first of them.
     */
    void waitAgain(Connection connection, Set<UUID> children) throws SQLException {
        if (children.isEmpty()) {
            return;
        }
        inUse = true;
        resolveAll(connection, children);
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/waits_again"))) {
            new Params(statement)
                    .text(PostgresCoordinator.channelOf(database.schema()))
                    .text(WAITS_AGAIN)
                    .uuids(children)
                    .query();
        }
    }

    /** A job with an old id waits again; see {@link #waitAgain}. */
    public void waitsAgain(String payload) {
        floor.waitsAgain(UUID.fromString(payload.substring(WAITS_AGAIN.length())));
        inUse = true;
    }

    /** A cycle can only run through jobs that are enqueued together: all others exist before their children. */
    private static void refuseCycles(List<NewJob> jobs) {
        Map<JobId, List<JobId>> open = new HashMap<>();
        jobs.forEach(job -> open.put(job.id(), job.parents()));
        boolean progress = true;
        while (progress) {
            progress =
                    open.entrySet().removeIf(entry -> entry.getValue().stream().noneMatch(open::containsKey));
        }
        if (!open.isEmpty()) {
            throw new InvalidJob("these jobs depend on each other in a circle: " + open.keySet());
        }
    }

    @Override
    public Set<Lane> resolveDependents(Collection<JobId> ended) {
        Set<Lane> freed = new HashSet<>();
        Collection<JobId> left = ended;
        while (!left.isEmpty()) {
            List<JobId> rest = new ArrayList<>();
            freed.addAll(resolveSomeDependents(left, rest));
            left = rest;
        }
        return freed;
    }

    /** @param rest is given the jobs of which there are more children, and those that were cancelled */
    @Override
    public Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest) {
        if (ended.isEmpty() || !inUse()) {
            return Set.of();
        }
        List<UUID> parents = ended.stream().map(JobId::value).toList();
        List<JobId> left = new ArrayList<>();
        Set<Lane> freed = database.inTransaction(connection -> {
            left.clear();
            List<UUID> children = children(connection, parents, BATCH);
            Resolved resolved = resolve(connection, new HashSet<>(children));
            resolved.cancelled().forEach(child -> left.add(new JobId(child)));
            if (children.size() == BATCH && resolved.changed()) {
                left.addAll(ended);
            }
            return resolved.freed();
        });
        rest.addAll(left);
        return freed;
    }

    private boolean inUse() {
        long now = clock.nanos();
        long last = askedAt.get();
        if (now - last >= ASK_EVERY_NANOS && askedAt.compareAndSet(last, now)) {
            inUse = any();
        }
        return inUse;
    }

    @Override
    public Set<Lane> sweepWaiting(Connection tx) throws SQLException {
        Set<UUID> overdue = new HashSet<>();
        int seen = 0;
        try (PreparedStatement statement = Database.prepare(tx, database.sql("jobs/overdue_waiting"))) {
            ResultSet rows =
                    new Params(statement).uuid(sweptUpTo).number(SWEEP_WINDOW).query();
            while (rows.next()) {
                seen++;
                sweptUpTo = rows.getObject(1, UUID.class);
                if (rows.getBoolean(2)) {
                    overdue.add(sweptUpTo);
                }
            }
        }
        if (seen < SWEEP_WINDOW) {
            sweptUpTo = BEGINNING;
        }
        return resolveAll(tx, overdue);
    }

    /** Resolves these, and then whatever waited for those that were cancelled. */
    private Set<Lane> resolveAll(Connection connection, Set<UUID> first) throws SQLException {
        Set<Lane> freed = new HashSet<>();
        Set<UUID> children = first;
        while (!children.isEmpty()) {
            Resolved resolved = resolve(connection, children);
            freed.addAll(resolved.freed());
            children = resolved.cancelled().isEmpty()
                    ? Set.of()
                    : Set.copyOf(children(connection, resolved.cancelled(), Integer.MAX_VALUE));
        }
        return freed;
    }

    private Resolved resolve(Connection connection, Set<UUID> children) throws SQLException {
        List<UUID> locked = new ArrayList<>();
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/lock_waiting"))) {
            new Params(statement).uuids(children);
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                locked.add(rows.getObject(1, UUID.class));
            }
        }
        Set<Lane> freed = new HashSet<>();
        List<UUID> cancelled = new ArrayList<>();
        if (!locked.isEmpty()) {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/resolve"))) {
                new Params(statement).uuids(locked).uuids(locked);
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    if (rows.getString(2) == null) {
                        cancelled.add(rows.getObject(1, UUID.class));
                    } else {
                        freed.add(new Lane(rows.getString(2), rows.getString(3)));
                    }
                }
            }
        }
        return new Resolved(freed, cancelled, !locked.isEmpty());
    }

    /** The jobs that wait for one of these, whether it has ended or not. */
    List<UUID> waitingFor(List<UUID> parents) {
        String sql =
                "SELECT child FROM " + database.schema() + ".muster_job_dependencies WHERE parent = ANY (?::uuid[])";
        return database.inTransaction(connection -> {
            List<UUID> waiting = new ArrayList<>();
            try (PreparedStatement statement = Database.prepare(connection, sql)) {
                ResultSet rows = new Params(statement).uuids(parents).query();
                while (rows.next()) {
                    waiting.add(rows.getObject(1, UUID.class));
                }
            }
            return waiting;
        });
    }

    private List<UUID> children(Connection connection, List<UUID> parents, int atMost) throws SQLException {
        List<UUID> children = new ArrayList<>();
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/children"))) {
            new Params(statement).uuids(parents).number(atMost);
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                children.add(rows.getObject(1, UUID.class));
            }
        }
        return children;
    }

    /** From where the last look found the first one that waits; now and then from the beginning. */
    private boolean any() {
        UUID known = floor.from();
        boolean all = known == null || everything.overdue();
        long start = clock.nanos();
        boolean found = database.inTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/first_waiting"))) {
                ResultSet rows =
                        new Params(statement).uuid(all ? BEGINNING : known).query();
                rows.next();
                UUID first = rows.getObject("id", UUID.class);
                floor.found(first, rows.getLong("asked_millis"));
                return first != null;
            }
        });
        if (all) {
            everything.spent(clock.nanos() - start);
        }
        return found;
    }
}
