package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.admission.PostgresAdmissionStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.db.TimeBudget;
import dev.muster.postgres.internal.recovery.SweepFloors.WaitingFloor;
import dev.muster.postgres.internal.wakeup.PostgresCoordinator;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Jobs that wait for others. A child is resolved when it is enqueued, when a parent ends, and by a sweep: a
 * parent that ends while its child is not committed yet cannot know of it, and only the sweep sees both.
 */
public final class PostgresDependencyStore implements DependencyStore {
    /** The prefix of a notification on the wake-up channel, with which no queue's name begins; the id of the first job that waits again follows. */
    public static final String WAITS_AGAIN = "!waits-again:";

    private static final UUID BEGINNING = new UUID(0, 0);
    private static final int SWEEP_WINDOW = 5_000;

    /** How many children are resolved in one transaction. */
    private static final int CHUNK = 2_000;

    /** How often a node checks whether any job waits. Until then it may leave the cluster's first child to the sweep. */
    private static final long ASK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A child with an old id is found by the search through everything, which runs this often. */
    private static final long EVERYTHING_EVERY_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A node may spend one part in this many of its time on that search. */
    private static final long SHARE = 50;

    private static final long EVERYTHING_AT_LAST_NANOS = TimeUnit.MINUTES.toNanos(30);

    private final Database database;
    private final WaitingFloor floor;
    private final EndedJobs graphs;
    private final EndedJobs batches;
    private final PostgresAdmissionStore admission;
    private final Clock clock;
    private final TimeBudget everything;
    private UUID sweptUpTo = BEGINNING;

    /** Whether any job may wait for another; checked now and then, so that a cluster without dependencies pays almost nothing. */
    private volatile boolean inUse = true;

    private final AtomicLong askedAt;

    /**
     * @param graphs decides about the tasks that follow in a graph
     * @param batches closes batches
     * @param admission admits jobs that were freed and wait for admission
     */
    public PostgresDependencyStore(
            Database database,
            WaitingFloor floor,
            EndedJobs graphs,
            EndedJobs batches,
            PostgresAdmissionStore admission,
            Clock clock) {
        this.database = database;
        this.admission = admission;
        this.floor = floor;
        this.graphs = graphs;
        this.batches = batches;
        this.clock = clock;
        this.everything = new TimeBudget(clock, SHARE, EVERYTHING_EVERY_NANOS, EVERYTHING_AT_LAST_NANOS);
        this.askedAt = new AtomicLong(clock.nanos() - ASK_EVERY_NANOS);
    }

    /**
     * What a resolution changed.
     *
     * @param freed lanes of jobs that can be claimed now
     * @param groups groups of jobs that wait for admission now; jobs are admitted after the commit
     * @param changed whether any of the jobs still waited
     */
    private record Resolved(Set<Lane> freed, Set<String> groups, List<UUID> cancelled, boolean changed) {}

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
        List<UUID> unknown = database.preparedQuery("jobs/depend")
                .with(p -> p.uuids(children).uuids(parents).column("bool", anyOutcome, any -> any))
                .list(connection, Rows::id);
        if (!unknown.isEmpty()) {
            throw new InvalidJob("dependsOn names jobs that do not exist: " + unknown);
        }
        resolveAll(connection, waiting);
    }

    /**
     * Resolves retried jobs that wait for their dependencies again. Their ids are old and may lie before the floor of the
     * nodes' searches, so the commit notifies every node of the first of them.
     */
    void waitAgain(Connection connection, Set<UUID> children) throws SQLException {
        if (children.isEmpty()) {
            return;
        }
        inUse = true;
        resolveAll(connection, children);
        database.preparedQuery("jobs/waits_again")
                .with(p -> p.text(PostgresCoordinator.channelOf(database.schema()))
                        .text(WAITS_AGAIN)
                        .uuids(children))
                .run(connection);
    }

    /** A job with an old id waits again; see {@link #waitAgain}. */
    public void waitsAgain(String payload) {
        floor.waitsAgain(UUID.fromString(payload.substring(WAITS_AGAIN.length())));
        inUse = true;
    }

    /** A cycle is possible only among jobs that are enqueued together: all other parents exist before their children. */
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
        Set<Lane> freed = new HashSet<>(ended.isEmpty() ? Set.of() : admission.ended(ended));
        Collection<JobId> left = ended;
        while (!left.isEmpty()) {
            List<JobId> rest = new ArrayList<>();
            freed.addAll(resolveSomeDependents(left, rest));
            left = rest;
        }
        return freed;
    }

    /** @param rest receives the jobs that have more dependents, and those that were cancelled */
    @Override
    public Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest) {
        if (ended.isEmpty()) {
            return Set.of();
        }
        boolean waited = inUse();
        Set<JobId> left = new LinkedHashSet<>();
        Set<Lane> lanes = batches.ended(ended, left);
        Set<Lane> freed = waited ? resolveChildren(ended, left) : Set.of();
        // Last: it may wait for the lock on a graph, and if that is in vain, it fails and the leader finds the tasks.
        Set<Lane> started = graphs.ended(ended, left);
        rest.addAll(left);
        return union(union(freed, lanes), started);
    }

    private Set<Lane> resolveChildren(Collection<JobId> ended, Collection<JobId> rest) {
        List<UUID> parents = ended.stream().map(JobId::value).toList();
        List<JobId> left = new ArrayList<>();
        Set<String> inGroups = new HashSet<>();
        Set<Lane> freed = database.inTransaction(connection -> {
            left.clear();
            inGroups.clear();
            List<UUID> children = children(connection, parents, CHUNK);
            Resolved resolved = resolve(connection, new HashSet<>(children));
            inGroups.addAll(resolved.groups());
            resolved.cancelled().forEach(child -> left.add(new JobId(child)));
            if (children.size() == CHUNK && resolved.changed()) {
                left.addAll(ended);
            }
            return resolved.freed();
        });
        rest.addAll(left);
        return union(freed, admission.admit(inGroups));
    }

    private static Set<Lane> union(Set<Lane> some, Set<Lane> others) {
        return others.isEmpty()
                ? some
                : Stream.concat(some.stream(), others.stream()).collect(Collectors.toSet());
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
        List<UUID> seen = database.preparedQuery("jobs/overdue_waiting")
                .with(p -> p.uuid(sweptUpTo).number(SWEEP_WINDOW))
                .list(tx, row -> {
                    if (row.getBoolean(2)) {
                        overdue.add(Rows.id(row));
                    }
                    return Rows.id(row);
                });
        sweptUpTo = seen.size() < SWEEP_WINDOW ? BEGINNING : seen.get(seen.size() - 1);
        return resolveAll(tx, overdue);
    }

    /** Resolves these jobs, and then the jobs that waited for those that were cancelled. */
    private Set<Lane> resolveAll(Connection connection, Set<UUID> first) throws SQLException {
        Set<Lane> freed = new HashSet<>();
        Set<UUID> children = first;
        while (!children.isEmpty()) {
            Resolved resolved = resolve(connection, children);
            freed.addAll(resolved.freed());
            // This transaction holds rows of jobs: others admit, after it has committed.
            admission.admitSoon(resolved.groups());
            children = resolved.cancelled().isEmpty()
                    ? Set.of()
                    : Set.copyOf(children(connection, resolved.cancelled(), Integer.MAX_VALUE));
        }
        return freed;
    }

    private Resolved resolve(Connection connection, Set<UUID> children) throws SQLException {
        List<UUID> locked = database.preparedQuery("jobs/lock_waiting")
                .with(p -> p.uuids(children))
                .list(connection, Rows::id);
        Set<Lane> freed = new HashSet<>();
        Set<String> inGroups = new HashSet<>();
        List<UUID> cancelled = new ArrayList<>();
        if (!locked.isEmpty()) {
            database.preparedQuery("jobs/resolve")
                    .with(p -> p.uuids(locked).uuids(locked))
                    .each(connection, row -> {
                        if (row.getString(2) == null) {
                            cancelled.add(Rows.id(row));
                        } else if (row.getString(4) != null) {
                            inGroups.add(row.getString(4));
                        } else {
                            freed.add(new Lane(row.getString(2), row.getString(3)));
                        }
                    });
        }
        return new Resolved(freed, inGroups, cancelled, !locked.isEmpty());
    }

    /** The jobs that wait for one of these, whether it has ended or not. */
    List<UUID> waitingFor(List<UUID> parents) {
        Query waiting = database.preparedQuery("jobs/waiting_for").with(p -> p.uuids(parents));
        return database.inTransaction(connection -> waiting.list(connection, Rows::id));
    }

    private List<UUID> children(Connection connection, List<UUID> parents, int atMost) throws SQLException {
        return database.preparedQuery("jobs/children")
                .with(p -> p.uuids(parents).number(atMost))
                .list(connection, Rows::id);
    }

    /** Searches from the first waiting job of the last search on; now and then from the beginning. */
    private boolean any() {
        UUID known = floor.from();
        boolean all = known == null || everything.overdue();
        long start = clock.nanos();
        Query firstWaiting = database.preparedQuery("jobs/first_waiting").with(p -> p.uuid(all ? BEGINNING : known));
        boolean found = database.inTransaction(connection -> firstWaiting.one(connection, row -> {
            UUID first = row.getObject("id", UUID.class);
            floor.found(first, row.getLong("asked_millis"));
            graphs.found(row.getBoolean("graphs"));
            batches.found(row.getBoolean("batches"));
            return first != null;
        }));
        if (all) {
            everything.spent(clock.nanos() - start);
        }
        return found;
    }
}
