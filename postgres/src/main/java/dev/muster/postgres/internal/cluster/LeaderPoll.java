package dev.muster.postgres.internal.cluster;

import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.internal.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.internal.cluster.NodeStore.OverdueWork;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.postgres.internal.admission.AdmissionFloor;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.StatementGroup;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.postgres.internal.recovery.SweepFloors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A heartbeat, a renewal of leadership and a recovery check, which a leader sends every few seconds: in one statement if all
 * three are due at the same time. Each of them has the same effect alone.
 */
public record LeaderPoll(Heartbeat heartbeat, Check check, Due due) implements StatementGroup {

    /** One of the three statements. */
    public abstract static sealed class PollStatement<T> implements Database.Work<T> permits Heartbeat, Check, Due {

        /** The SQL of this statement alone. */
        abstract String sql();

        /** Binds the parameters of its write. */
        abstract void bindWrite(Params params) throws SQLException;

        /** Binds the parameters of its answer. */
        abstract void bindRead(Params params, Connection connection) throws SQLException;

        /** @param rows the result, positioned before the first row */
        abstract T read(ResultSet rows, Connection connection) throws SQLException;

        @Override
        public final T run(Connection connection) throws SQLException {
            try (PreparedStatement statement = Statements.prepare(connection, sql())) {
                Params params = new Params(statement);
                bindWrite(params);
                bindRead(params, connection);
                return read(params.query(), connection);
            }
        }
    }

    /** Finds a poll if all three statements are waiting; it takes the first of each. */
    public static final Finder FINDER = new Finder() {
        @Override
        public boolean isBegun(Collection<? extends Database.Work<?>> waiting) {
            return waiting.stream().anyMatch(PollStatement.class::isInstance)
                    && among(waiting).isEmpty();
        }

        @Override
        public Optional<StatementGroup> among(Collection<? extends Database.Work<?>> waiting) {
            Heartbeat heartbeat = first(Heartbeat.class, waiting);
            Check check = first(Check.class, waiting);
            Due due = first(Due.class, waiting);
            return heartbeat == null || check == null || due == null
                    ? Optional.empty()
                    : Optional.of(new LeaderPoll(heartbeat, check, due));
        }
    };

    private static <T> @Nullable T first(Class<T> type, Collection<?> among) {
        return among.stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElse(null);
    }

    /**
     * Leadership comes first. The statement that made the poll fail, which may take long again, comes last: the row of a
     * heartbeat may be locked by others, and only the recovery check can be slow.
     */
    @Override
    public List<PollStatement<?>> apart(SQLException failure) {
        return SqlStates.lockNotAvailable(failure) ? List.of(check, due, heartbeat) : List.of(check, heartbeat, due);
    }

    @Override
    public boolean contains(Database.Work<?> statement) {
        return statement == heartbeat || statement == check || statement == due;
    }

    @Override
    public void ask(Connection connection, Reader reader) throws SQLException {
        try (PreparedStatement statement = Statements.prepareScrollable(connection, check.togetherSql())) {
            Params params = new Params(statement);
            heartbeat.bindWrite(params);
            check.bindWrite(params);
            heartbeat.bindRead(params, connection);
            due.bindRead(params, connection);
            check.bindRead(params, connection);
            ResultSet rows = params.query();
            reader.read(new Answers() {
                @Override
                public <T> T to(Database.Work<T> member) throws SQLException {
                    rows.beforeFirst();
                    return ((PollStatement<T>) member).read(rows, connection);
                }
            });
        }
    }

    /** The heartbeat. */
    static final class Heartbeat extends PollStatement<HeartbeatAnswer> {
        private final String sql;
        private final String id;
        private final UUID incarnation;
        private final NodeLoad load;
        private final Duration interval;
        private final SinceLastHeartbeat since;

        Heartbeat(String sql, String id, UUID incarnation, NodeLoad load, Duration interval, SinceLastHeartbeat since) {
            this.sql = sql;
            this.id = id;
            this.incarnation = incarnation;
            this.load = load;
            this.interval = interval;
            this.since = since;
        }

        @Override
        String sql() {
            return sql;
        }

        @Override
        void bindWrite(Params params) throws SQLException {
            params.number(interval.toMillis())
                    .number(load.connections())
                    .number(load.jobs())
                    .number(load.cpu())
                    .number(load.memory())
                    .text(ExecutorsColumn.of(load.executors()))
                    .flag(since.unbroken())
                    .number(since.atLeast().toMillis())
                    .number(since.atMost().toMillis())
                    .text(id)
                    .uuid(incarnation);
        }

        @Override
        void bindRead(Params params, Connection connection) throws SQLException {
            params.text(id);
        }

        @Override
        HeartbeatAnswer read(ResultSet rows, Connection connection) throws SQLException {
            rows.next();
            String status = rows.getString("status");
            UUID holder = rows.getObject("holder", UUID.class);
            HeartbeatAnswer.RowState rowState = status != null
                    ? HeartbeatAnswer.RowState.OWN
                    : holder == null || holder.equals(incarnation)
                            ? HeartbeatAnswer.RowState.DEAD
                            : HeartbeatAnswer.RowState.TAKEN;
            return new HeartbeatAnswer(
                    rowState,
                    status == null ? NodeStatus.DEAD : NodeStatus.stored(status),
                    String.valueOf(rows.getString("members")));
        }
    }

    /** The renewal of leadership, and the state of all roles. */
    abstract static non-sealed class Check extends PollStatement<List<LeaderStore.RoleRow>> {

        /** The SQL of all three statements together. */
        abstract String togetherSql();
    }

    /** The recovery check. */
    static final class Due extends PollStatement<OverdueWork> {
        private final String sql;
        private final String observer;
        private final SilenceLimits limits;
        private final SweepFloors floors;
        private final AdmissionFloor admission;
        private @Nullable UUID waitingFrom;
        private boolean expiryAsked;
        private boolean admissionAsked;

        Due(String sql, String observer, SilenceLimits limits, SweepFloors floors, AdmissionFloor admission) {
            this.sql = sql;
            this.observer = observer;
            this.limits = limits;
            this.floors = floors;
            this.admission = admission;
        }

        @Override
        String sql() {
            return sql;
        }

        @Override
        void bindWrite(Params params) {
            // It writes nothing.
        }

        @Override
        void bindRead(Params params, Connection connection) throws SQLException {
            waitingFrom = floors.waiting().from();
            Long expiryFrom = floors.expiry();
            expiryAsked = expiryFrom != null;
            OffsetDateTime admissionFrom = admission.from();
            admissionAsked = admissionFrom != null;
            params.text(observer)
                    .number(limits.stale().toMillis())
                    .number(limits.dead().toMillis())
                    .number(limits.fresh().toMillis())
                    .optional(floors.leases())
                    .optional(expiryFrom)
                    .uuid(waitingFrom)
                    .optionalTime(admissionFrom);
        }

        @Override
        OverdueWork read(ResultSet rows, Connection connection) throws SQLException {
            rows.next();
            Set<Duty> duties = duties((String[]) rows.getArray("duties").getArray());
            long micros = rows.getLong("asked_micros");
            if (!duties.contains(Duty.RECOVER_LEASES)) {
                floors.noLeaseRanOut(micros);
            }
            if (expiryAsked && !duties.contains(Duty.EXPIRE_JOBS)) {
                floors.noneExpired(micros);
            }
            if (waitingFrom != null) {
                floors.waiting().found(rows.getObject("waiting", UUID.class), micros / 1_000);
            }
            Instant asked = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
            if (admissionAsked && !duties.contains(Duty.CHECK_ADMISSION)) {
                admission.nothingDue(asked.atOffset(ZoneOffset.UTC));
            }
            return new OverdueWork(
                    List.of((String[]) rows.getArray("overdue").getArray()),
                    millis(rows, "next_ms"),
                    millis(rows, "in_touch_ms"),
                    duties,
                    asked);
        }

        /** While versions are mixed, a later one may have added duties to the function, which its own nodes do. */
        private static Set<Duty> duties(String[] names) {
            Set<Duty> duties = EnumSet.noneOf(Duty.class);
            for (String name : names) {
                Duty.named(name).ifPresent(duties::add);
            }
            return duties;
        }

        private static Optional<Duration> millis(ResultSet rows, String column) throws SQLException {
            long value = rows.getLong(column);
            return rows.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, value)));
        }
    }
}
