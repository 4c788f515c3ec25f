package dev.muster.postgres.internal.admission;

import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobId;
import dev.muster.job.JobRate;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.postgres.internal.wakeup.PostgresCoordinator;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Concurrency groups in PostgreSQL. An admission is one statement that is a transaction of its own, so that no group stays locked while an answer travels.
 */
public final class PostgresAdmissionStore implements AdmissionStore {
    /**
     * The prefix of a notification on the wake-up channel, with which no queue's name begins; the group follows in which a caller's transaction has put a
     * job.
     */
    public static final String PUT_IN_GROUP = "!group:";

    private static final Logger log = LoggerFactory.getLogger(PostgresAdmissionStore.class);

    private static final int TRIES = 3;

    /** How many groups one statement looks at that forgets some of them. */
    private static final int FORGET_WINDOW = 2_000;

    private static final Duration AFTER_FAILURE = Duration.ofMillis(200);

    /** For how long an admission waits for the lock of a group. */
    private static final int PATIENCE_MILLIS = 1_000;

    /** The same if its caller has other work to do. Locks are held for as long as a commit takes. */
    private static final int LITTLE_PATIENCE_MILLIS = 100;

    /** A transaction that puts jobs into more groups than this leaves most of them to the sweep. */
    private static final int MOST_NOTIFICATIONS = 50;

    private final Database database;
    private final boolean notifies;
    private final Consumer<Set<Lane>> announce;
    private final BeginningJobs beginning;
    private final FailedGroups bad;
    private final AdmissionFloor floor;
    private final AdmissionSweep sweep;
    private final AtomicReference<LaterListener> listener = new AtomicReference<>((group, delay, alone) -> {});
    private String forgottenUpTo = "";

    /**
     * @param notifies whether callers' transactions may send notifications
     * @param announce tells nodes of lanes in which there are new jobs
     */
    public PostgresAdmissionStore(Database database, boolean notifies, Consumer<Set<Lane>> announce, Clock clock) {
        this.database = database;
        this.notifies = notifies;
        this.announce = announce;
        this.beginning = new BeginningJobs(database);
        this.bad = new FailedGroups(clock);
        this.floor = new AdmissionFloor(clock);
        this.sweep = new AdmissionSweep(
                database,
                clock,
                (groups, fromTheBeginning) -> admitSome(groups, fromTheBeginning, PATIENCE_MILLIS),
                (group, delay) -> listener.get().later(group, delay.isZero() ? AFTER_FAILURE : delay, true),
                bad,
                floor);
    }

    @Override
    public void onLater(LaterListener later) {
        listener.set(later);
    }

    @Override
    public Set<Lane> admit(Collection<String> groups) {
        return admit(groups, PATIENCE_MILLIS);
    }

    @Override
    public Set<Lane> admitUnlessBusy(Collection<String> groups) {
        return admit(groups, LITTLE_PATIENCE_MILLIS);
    }

    @Override
    public Begin mayBegin(String group) {
        return beginning.mayBegin(group);
    }

    private Set<Lane> admit(Collection<String> groups, int patienceMillis) {
        if (groups.isEmpty()) {
            return Set.of();
        }
        List<String> sorted = List.copyOf(new TreeSet<>(groups));
        Set<Lane> lanes = new HashSet<>();
        for (int from = 0; from < sorted.size(); from += AdmissionSweep.AT_ONCE) {
            List<String> some = sorted.subList(from, Math.min(sorted.size(), from + AdmissionSweep.AT_ONCE));
            try {
                lanes.addAll(admitSome(some, false, patienceMillis));
                bad.succeeded(some);
            } catch (MusterException e) {
                log.debug("jobs in {} groups are admitted later", some.size(), e);
                some.forEach(group ->
                        listener.get().later(group, some.size() == 1 ? bad.failed(group) : AFTER_FAILURE, true));
            }
        }
        return lanes;
    }

    /** Admits jobs and tells nodes of them: a group may have jobs of other queues than the caller knows. */
    public void admitAndTell(Collection<String> groups) {
        Set<Lane> lanes = admit(groups);
        if (!lanes.isEmpty()) {
            announce.accept(lanes);
        }
    }

    private Set<Lane> admitSome(List<String> groups, boolean fromTheBeginning, int patienceMillis) {
        for (int attempt = 1; ; attempt++) {
            Answer answer = new Answer();
            try {
                database.statement(connection -> {
                    send(connection, groups, fromTheBeginning, patienceMillis, answer);
                    return null;
                });
                if (!answer.readCommitted) {
                    Query admit = database.preparedQuery("admission/call_admit")
                            .with(p -> p.texts(groups).flag(fromTheBeginning).number(patienceMillis));
                    database.inRawTransaction(connection -> admit.all(connection, answer::read));
                }
                answer.later.forEach((group, delay) -> listener.get().later(group, delay, false));
                return answer.lanes;
            } catch (SQLException e) {
                if (attempt >= TRIES || !SqlStates.worthRepeating(e)) {
                    throw DatabaseErrors.translate(e);
                }
                Database.pause(attempt);
            }
        }
    }

    private void send(
            Connection connection, List<String> groups, boolean fromTheBeginning, int patienceMillis, Answer answer)
            throws SQLException {
        String text = database.limits(connection) + database.sql("admission/call_admit");
        try (PreparedStatement statement = Statements.prepare(connection, text)) {
            new Params(statement).texts(groups).flag(fromTheBeginning).number(patienceMillis);
            statement.execute();
            answer.read(Statements.lastResult(statement));
        }
    }

    /** What an admission did. */
    private static final class Answer {
        private final Set<Lane> lanes = new HashSet<>();
        private final Map<String, Duration> later = new HashMap<>();
        private boolean readCommitted = true;

        boolean read(ResultSet rows) throws SQLException {
            while (rows.next()) {
                String group = rows.getString("concurrency_group");
                long millis = rows.getLong("next_ms");
                if (group == null) {
                    readCommitted = false;
                } else if (rows.getString("queue") != null) {
                    lanes.add(new Lane(rows.getString("queue"), rows.getString("capability")));
                } else if (millis > 0) {
                    later.put(group, Duration.ofMillis(millis));
                }
            }
            return true;
        }
    }

    /** These jobs have ended, and it is not known which of them had a group. Never fails. */
    public Set<Lane> ended(Collection<JobId> jobs) {
        try {
            Query groups = database.preparedQuery("admission/of_ended")
                    .with(p -> p.uuids(jobs.stream().map(JobId::value).toList()));
            return admit(database.inTransaction(connection -> groups.list(connection, row -> row.getString(1))));
        } catch (MusterException e) {
            log.debug("places of {} ended jobs are left to the sweep", jobs.size(), e);
            return Set.of();
        }
    }

    /** Jobs in these groups may be admitted as soon as a transaction that is under way has committed. */
    public void admitSoon(Set<String> groups) {
        groups.forEach(group -> listener.get().later(group, AFTER_FAILURE, false));
    }

    /** Tells the nodes, when the caller's transaction commits, that it has put jobs in these groups. */
    public void putInGroup(Connection connection, Set<String> groups) throws SQLException {
        if (!notifies) {
            return;
        }
        for (String group : groups.stream().limit(MOST_NOTIFICATIONS).toList()) {
            database.query("wakeup/notify_at_commit")
                    .with(p -> p.text(PostgresCoordinator.channelOf(database.schema()))
                            .text(PUT_IN_GROUP + group))
                    .run(connection);
        }
    }

    /** A caller's transaction has put a job in a group; see {@link #putInGroup}. */
    public void putInGroup(String payload) {
        listener.get().later(payload.substring(PUT_IN_GROUP.length()), Duration.ZERO, false);
    }

    @Override
    public Swept sweep() {
        return sweep.sweep();
    }

    @Override
    public Set<Lane> sweepAll() {
        return sweep.sweepAll();
    }

    /** Up to where sweeps have looked. */
    public AdmissionFloor floor() {
        return floor;
    }

    @Override
    public void publish(Map<String, ConcurrencyLimit> limits, Set<String> unlimited) {
        List<Map.Entry<String, ConcurrencyLimit>> declared = List.copyOf(limits.entrySet());
        Query publish = database.query("admission/publish")
                .with(p -> p.texts(unlimited)
                        .column("text", declared, Map.Entry::getKey)
                        .column("int4", declared, limit -> mostAtOnce(limit.getValue()))
                        .column("int4", declared, limit -> ofRate(limit.getValue(), JobRate::jobs))
                        .column(
                                "int8",
                                declared,
                                limit -> ofRate(
                                        limit.getValue(),
                                        rate -> rate.interval().toMillis()))
                        .column("int4", declared, limit -> ofRate(limit.getValue(), JobRate::burst))
                        .column("text", declared, limit -> limit.getValue().concurrencyKey())
                        .column("bool", declared, limit -> limit.getValue().ordered()));
        List<String> changed =
                database.inRawTransaction(connection -> publish.list(connection, row -> row.getString(1)));
        if (!changed.isEmpty()) {
            log.info("concurrency limits have changed: {}", changed);
        }
    }

    private static <T> @Nullable T ofRate(ConcurrencyLimit limit, Function<JobRate, T> part) {
        return limit.rate() == null ? null : part.apply(limit.rate());
    }

    private static @Nullable Integer mostAtOnce(ConcurrencyLimit limit) {
        return limit.maxConcurrent() == 0 ? null : limit.maxConcurrent();
    }

    /** The limits that handlers have declared, by job name. */
    public static Map<String, ConcurrencyLimit> limits(Database database, Connection connection) throws SQLException {
        Map<String, ConcurrencyLimit> limits = new HashMap<>();
        database.query("admission/limits").each(connection, row -> {
            int rate = row.getInt("rate");
            limits.put(
                    row.getString("name"),
                    new ConcurrencyLimit(
                            row.getInt("max_concurrent"),
                            row.getString("key_path"),
                            row.getBoolean("ordered"),
                            rate == 0
                                    ? null
                                    : new JobRate(
                                            rate, Duration.ofMillis(row.getLong("rate_ms")), row.getInt("burst"))));
        });
        return limits;
    }

    private record Stretch(int lookedAt, @Nullable String lookedTo, List<String> unused) {}

    @Override
    public synchronized boolean forget(Connection tx) throws SQLException {
        Stretch stretch = database.query("admission/lock_unused")
                .with(p -> p.text(forgottenUpTo).number(FORGET_WINDOW))
                .one(
                        tx,
                        row -> new Stretch(row.getInt("looked_at"), row.getString("looked_to"), List.of((String[])
                                row.getArray("unused").getArray())));
        if (!stretch.unused().isEmpty()) {
            database.query("admission/forget")
                    .with(p -> p.texts(stretch.unused()))
                    .update(tx);
        }
        boolean more = stretch.lookedAt() == FORGET_WINDOW;
        forgottenUpTo = more && stretch.lookedTo() != null ? stretch.lookedTo() : "";
        return more;
    }
}
