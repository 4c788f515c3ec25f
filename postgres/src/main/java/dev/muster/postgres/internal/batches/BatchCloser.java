package dev.muster.postgres.internal.batches;

import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.runtime.Durations;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.runtime.Clock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at sealed batches, and closes those whose condition is decided. For each batch it remembers a job that was live: while that one
 * lives, the batch has nothing to decide, which is one lookup.
 */
final class BatchCloser {
    private static final UUID BEGINNING = new UUID(0, 0);
    private static final int WINDOW = 1_000;
    private static final Duration LOCKED_AGAIN = Duration.ofSeconds(1);
    private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
    private static final Logger log = LoggerFactory.getLogger(BatchCloser.class);

    /** A condition that can be met early needs counting, which is done this often, or less often if it takes long. */
    private static final long COUNT_EVERY = TimeUnit.SECONDS.toNanos(1);

    private static final int COUNT_SHARE = 20;

    /** As the database orders them, which is not as {@link UUID} does. */
    private static final Comparator<BatchId> ORDER = Comparator.comparing(id -> new JobId(id.value()));

    private final Database database;
    private final Clock clock;

    /** A live job of each batch. */
    private NavigableMap<BatchId, UUID> live = new TreeMap<>(ORDER);

    /** When the jobs of a batch may be counted again. */
    private Map<UUID, Long> countAgain = new HashMap<>();

    /** Batches whose jobs could not be counted in time. Each is tried again by itself, and keeps no other from being closed. */
    private final Map<UUID, TooLong> tooLong = new HashMap<>();

    /** Batches whose jobs take long to count: also a thorough look counts them no more often. */
    private final Set<UUID> costly = new HashSet<>();

    private boolean left;

    /** @param again when to count again */
    private record TooLong(Duration pause, long again) {}

    BatchCloser(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    private record Sealed(
            UUID id,
            boolean mayCloseEarly,
            boolean cancelled,
            @Nullable UUID liveJob) {}

    /** @param enqueued the lane of the job that was enqueued */
    private record Decided(boolean closed, @Nullable Lane enqueued) {}

    /** Whether the last look has left sealed batches that are not closed. */
    synchronized boolean left() {
        return left;
    }

    synchronized Closing closeDue(boolean thorough) {
        Set<Lane> lanes = new HashSet<>();
        List<BatchId> closed = new ArrayList<>();
        List<BatchId> toCancel = new ArrayList<>();
        NavigableMap<BatchId, UUID> stillLive = new TreeMap<>(ORDER);
        Map<UUID, Long> stillCounted = new HashMap<>();
        Duration again = null;
        left = true;
        int seen = 0;
        Set<UUID> sealedNow = new HashSet<>();
        List<Sealed> some;
        UUID last = BEGINNING;
        do {
            some = sealed(last);
            for (Sealed batch : some) {
                seen++;
                sealedNow.add(batch.id());
                if (batch.liveJob() != null) {
                    stillLive.put(new BatchId(batch.id()), batch.liveJob());
                    if (batch.cancelled()) {
                        toCancel.add(new BatchId(batch.id()));
                    }
                }
                Duration wait = untilLook(batch, thorough);
                if (wait == null) {
                    continue;
                }
                if (wait.isZero()) {
                    long start = clock.nanos();
                    wait = close(batch.id(), lanes, closed);
                    long took = clock.nanos() - start;
                    stillCounted.put(batch.id(), clock.nanos() + Math.max(COUNT_EVERY, COUNT_SHARE * took));
                    if (COUNT_SHARE * took > COUNT_EVERY) {
                        costly.add(batch.id());
                    } else {
                        costly.remove(batch.id());
                    }
                } else {
                    stillCounted.put(batch.id(), countAgain.get(batch.id()));
                }
                again = wait == null || again != null && again.compareTo(wait) < 0 ? again : wait;
            }
            last = some.isEmpty() ? last : some.get(some.size() - 1).id();
        } while (some.size() == WINDOW);
        live = stillLive;
        tooLong.keySet().retainAll(sealedNow);
        costly.retainAll(sealedNow);
        countAgain = stillCounted;
        left = seen > closed.size();
        return new Closing(lanes, closed, toCancel, Optional.ofNullable(again));
    }

    /** How long until this batch has to be looked at; null if that is not before its live job has ended. */
    private @Nullable Duration untilLook(Sealed batch, boolean thorough) {
        TooLong late = tooLong.get(batch.id());
        if (late != null && late.again - clock.nanos() > 0) {
            return Duration.ofNanos(late.again - clock.nanos());
        }
        if (batch.liveJob() == null) {
            return Duration.ZERO;
        }
        if (!batch.mayCloseEarly()) {
            return null;
        }
        Long next = countAgain.get(batch.id());
        return next == null || next - clock.nanos() <= 0 || thorough && !costly.contains(batch.id())
                ? Duration.ZERO
                : Duration.ofNanos(next - clock.nanos());
    }

    private List<Sealed> sealed(UUID after) {
        Query due = database.preparedQuery("batches/due")
                .with(p -> p.text(known(after)).uuid(after).number(WINDOW));
        return database.inTransaction(connection -> due.list(
                connection,
                row -> new Sealed(
                        row.getObject("id", UUID.class),
                        !row.getString("condition").equals("all")
                                && !row.getString("condition").equals("decided"),
                        row.getBoolean("cancel_requested"),
                        row.getObject("live_job", UUID.class))));
    }

    /** The live jobs that are known of the batches of one window, as a JSON object. */
    private String known(UUID after) {
        return live.tailMap(new BatchId(after), false).entrySet().stream()
                .limit(WINDOW)
                .map(entry -> "\"" + entry.getKey() + "\":\"" + entry.getValue() + "\"")
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** Returns after which time it has to be tried again: another transaction holds the batch's row, or counting took too long. */
    private @Nullable Duration close(UUID id, Set<Lane> lanes, List<BatchId> closed) {
        Query close = database.preparedQuery("batches/call_close").with(p -> p.uuid(id));
        try {
            Decided decided = database.once(connection -> {
                database.applySettings(connection);
                if (tooLong.containsKey(id)) {
                    database.query("transactions/long_statement").run(connection);
                }
                return close.one(
                        connection,
                        row -> new Decided(
                                row.getBoolean("closed"),
                                row.getString("lane_queue") == null
                                        ? null
                                        : new Lane(row.getString("lane_queue"), row.getString("lane_capability"))));
            });
            tooLong.remove(id);
            if (decided.closed()) {
                closed.add(new BatchId(id));
            }
            if (decided.enqueued() != null) {
                lanes.add(decided.enqueued());
            }
            return null;
        } catch (SQLException e) {
            if (SqlStates.lockNotAvailable(e) || SqlStates.worthRepeating(e)) {
                return LOCKED_AGAIN;
            }
            if (SqlStates.timedOut(e)) {
                return noteTooLong(id);
            }
            throw DatabaseErrors.translate(e);
        }
    }

    private Duration noteTooLong(UUID id) {
        TooLong before = tooLong.get(id);
        Duration pause = before == null ? FIRST_PAUSE : Durations.shorter(LONGEST_PAUSE, before.pause.multipliedBy(2));
        tooLong.put(id, new TooLong(pause, clock.nanos() + pause.toNanos()));
        log.warn(
                "batch={} could not be closed: its jobs could not be counted in time; tried again in {} s, with more time",
                id,
                pause.toSeconds());
        return pause;
    }
}
