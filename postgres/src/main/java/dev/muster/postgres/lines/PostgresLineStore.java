package dev.muster.postgres.lines;

import dev.muster.job.JobId;
import dev.muster.job.JobRate;
import dev.muster.job.Lane;
import dev.muster.job.LineLimit;
import dev.muster.job.store.LineStore;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.DatabaseErrors;
import dev.muster.postgres.db.Params;
import dev.muster.postgres.db.Query;
import dev.muster.postgres.db.SqlStates;
import dev.muster.postgres.db.Statements;
import dev.muster.postgres.wakeup.PostgresCoordinator;
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
 * Lines in PostgreSQL. An admission is one statement that is a transaction of its own, so that no line stays locked while an answer travels.
 */
public final class PostgresLineStore implements LineStore {
    /**
     * The prefix of a notification on the wake-up channel, with which no queue's name begins; the line follows in which a caller's transaction has put a
     * job.
     */
    public static final String PUT_IN_LINE = "!line:";

    private static final Logger log = LoggerFactory.getLogger(PostgresLineStore.class);

    private static final int TRIES = 3;

    /** How many lines one statement looks at that forgets some of them. */
    private static final int FORGET_WINDOW = 2_000;

    private static final Duration AFTER_FAILURE = Duration.ofMillis(200);

    /** For how long an admission waits for the lock of a line. */
    private static final int PATIENCE_MILLIS = 1_000;

    /** The same if its caller has other work to do. Locks are held for as long as a commit takes. */
    private static final int LITTLE_PATIENCE_MILLIS = 100;

    /** A transaction that puts jobs into more lines than this leaves most of them to the sweep. */
    private static final int MOST_NOTIFICATIONS = 50;

    private final Database database;
    private final boolean notifies;
    private final Consumer<Set<Lane>> announce;
    private final BeginningJobs beginning;
    private final BadLines bad;
    private final LineFloor floor;
    private final LineSweep sweep;
    private final AtomicReference<LaterListener> listener = new AtomicReference<>((line, delay, alone) -> {});
    private String forgottenUpTo = "";

    /**
     * @param notifies whether callers' transactions may send notifications
     * @param announce tells nodes of lanes in which there are new jobs
     */
    public PostgresLineStore(Database database, boolean notifies, Consumer<Set<Lane>> announce, Clock clock) {
        this.database = database;
        this.notifies = notifies;
        this.announce = announce;
        this.beginning = new BeginningJobs(database);
        this.bad = new BadLines(clock);
        this.floor = new LineFloor(clock);
        this.sweep = new LineSweep(
                database,
                clock,
                (lines, fromTheBeginning) -> admitSome(lines, fromTheBeginning, PATIENCE_MILLIS),
                (line, delay) -> listener.get().later(line, delay.isZero() ? AFTER_FAILURE : delay, true),
                bad,
                floor);
    }

    @Override
    public void onLater(LaterListener later) {
        listener.set(later);
    }

    @Override
    public Set<Lane> admit(Collection<String> lines) {
        return admit(lines, PATIENCE_MILLIS);
    }

    @Override
    public Set<Lane> admitUnlessBusy(Collection<String> lines) {
        return admit(lines, LITTLE_PATIENCE_MILLIS);
    }

    @Override
    public Begin mayBegin(String line) {
        return beginning.mayBegin(line);
    }

    private Set<Lane> admit(Collection<String> lines, int patienceMillis) {
        if (lines.isEmpty()) {
            return Set.of();
        }
        List<String> sorted = List.copyOf(new TreeSet<>(lines));
        Set<Lane> lanes = new HashSet<>();
        for (int from = 0; from < sorted.size(); from += LineSweep.AT_ONCE) {
            List<String> some = sorted.subList(from, Math.min(sorted.size(), from + LineSweep.AT_ONCE));
            try {
                lanes.addAll(admitSome(some, false, patienceMillis));
                bad.succeeded(some);
            } catch (MusterException e) {
                log.debug("jobs in {} lines are admitted later", some.size(), e);
                some.forEach(
                        line -> listener.get().later(line, some.size() == 1 ? bad.failed(line) : AFTER_FAILURE, true));
            }
        }
        return lanes;
    }

    /** Admits jobs and tells nodes of them: a line may have jobs of other queues than the caller knows. */
    public void admitAndTell(Collection<String> lines) {
        Set<Lane> lanes = admit(lines);
        if (!lanes.isEmpty()) {
            announce.accept(lanes);
        }
    }

    private Set<Lane> admitSome(List<String> lines, boolean fromTheBeginning, int patienceMillis) {
        for (int attempt = 1; ; attempt++) {
            Answer answer = new Answer();
            try {
                database.statement(connection -> {
                    send(connection, lines, fromTheBeginning, patienceMillis, answer);
                    return null;
                });
                if (!answer.readCommitted) {
                    Query admit = database.preparedQuery("lines/admit")
                            .with(p -> p.texts(lines).flag(fromTheBeginning).number(patienceMillis));
                    database.inRawTransaction(connection -> admit.all(connection, answer::read));
                }
                answer.later.forEach((line, delay) -> listener.get().later(line, delay, false));
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
            Connection connection, List<String> lines, boolean fromTheBeginning, int patienceMillis, Answer answer)
            throws SQLException {
        String text = database.limits(connection) + database.sql("lines/admit");
        try (PreparedStatement statement = Statements.prepare(connection, text)) {
            new Params(statement).texts(lines).flag(fromTheBeginning).number(patienceMillis);
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
                String line = rows.getString("line");
                long millis = rows.getLong("next_ms");
                if (line == null) {
                    readCommitted = false;
                } else if (rows.getString("queue") != null) {
                    lanes.add(new Lane(rows.getString("queue"), rows.getString("capability")));
                } else if (millis > 0) {
                    later.put(line, Duration.ofMillis(millis));
                }
            }
            return true;
        }
    }

    /** These jobs have ended, and it is not known which of them had a line. Never fails. */
    public Set<Lane> ended(Collection<JobId> jobs) {
        try {
            Query lines = database.preparedQuery("lines/of_ended")
                    .with(p -> p.uuids(jobs.stream().map(JobId::value).toList()));
            return admit(database.inTransaction(connection -> lines.list(connection, row -> row.getString(1))));
        } catch (MusterException e) {
            log.debug("places of {} ended jobs are left to the sweep", jobs.size(), e);
            return Set.of();
        }
    }

    /** Jobs in these lines may be admitted as soon as a transaction that is under way has committed. */
    public void admitSoon(Set<String> lines) {
        lines.forEach(line -> listener.get().later(line, AFTER_FAILURE, false));
    }

    /** Tells the nodes, when the caller's transaction commits, that it has put jobs in these lines. */
    public void putInLine(Connection connection, Set<String> lines) throws SQLException {
        if (!notifies) {
            return;
        }
        for (String line : lines.stream().limit(MOST_NOTIFICATIONS).toList()) {
            database.query("wakeup/notify_at_commit")
                    .with(p -> p.text(PostgresCoordinator.channelOf(database.schema()))
                            .text(PUT_IN_LINE + line))
                    .run(connection);
        }
    }

    /** A caller's transaction has put a job in a line; see {@link #putInLine}. */
    public void putInLine(String payload) {
        listener.get().later(payload.substring(PUT_IN_LINE.length()), Duration.ZERO, false);
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
    public LineFloor floor() {
        return floor;
    }

    @Override
    public void publish(Map<String, LineLimit> limits, Set<String> unlimited) {
        List<Map.Entry<String, LineLimit>> declared = List.copyOf(limits.entrySet());
        Query publish = database.query("lines/publish")
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
            log.info("limits of jobs in line have changed: {}", changed);
        }
    }

    private static <T> @Nullable T ofRate(LineLimit limit, Function<JobRate, T> part) {
        return limit.rate() == null ? null : part.apply(limit.rate());
    }

    private static @Nullable Integer mostAtOnce(LineLimit limit) {
        return limit.maxConcurrent() == 0 ? null : limit.maxConcurrent();
    }

    /** The limits that handlers have declared, by job name. */
    public static Map<String, LineLimit> limits(Database database, Connection connection) throws SQLException {
        Map<String, LineLimit> limits = new HashMap<>();
        database.query("lines/limits").each(connection, row -> {
            int rate = row.getInt("rate");
            limits.put(
                    row.getString("name"),
                    new LineLimit(
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
        Stretch stretch = database.query("lines/lock_unused")
                .with(p -> p.text(forgottenUpTo).number(FORGET_WINDOW))
                .one(
                        tx,
                        row -> new Stretch(row.getInt("looked_at"), row.getString("looked_to"), List.of((String[])
                                row.getArray("unused").getArray())));
        if (!stretch.unused().isEmpty()) {
            database.query("lines/forget").with(p -> p.texts(stretch.unused())).update(tx);
        }
        boolean more = stretch.lookedAt() == FORGET_WINDOW;
        forgottenUpTo = more && stretch.lookedTo() != null ? stretch.lookedTo() : "";
        return more;
    }
}
