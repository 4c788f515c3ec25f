package dev.muster.postgres.internal.cluster;

import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership.FencedWork;
import dev.muster.leader.StaleLeader;
import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.wakeup.PostgresCoordinator;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaders in PostgreSQL. A node's own leadership is kept on the control connection, whose session also holds the
 * advisory locks; fenced transactions are on connections of the pool.
 */
public final class PostgresLeaderStore implements LeaderStore {
    private static final Logger log = LoggerFactory.getLogger(PostgresLeaderStore.class);
    private static final String PAYLOAD = "!leader";

    private final Database database;
    private final ControlConnection control;
    private final boolean portable;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    // Used on the control connection's thread only.
    private @Nullable Connection session;
    private final Set<LeaderRole> locks = EnumSet.noneOf(LeaderRole.class);

    public PostgresLeaderStore(Database database, ControlConnection control, boolean portable) {
        this.database = database;
        this.control = control;
        this.portable = portable;
    }

    @Override
    public List<RoleRow> check(Candidate self) {
        return control.call(new Check(self));
    }

    /** Renews the roles that this node leads, and reads the state of all roles. */
    private final class Check extends LeaderPoll.Check {
        private final Candidate self;
        private final boolean advisory;

        Check(Candidate self) {
            this.self = self;
            this.advisory = advisory(self);
        }

        @Override
        String sql() {
            return database.sql(advisory ? "leaders/check_advisory" : "leaders/check");
        }

        @Override
        String togetherSql() {
            return database.sql(advisory ? "nodes/leader_poll_advisory" : "nodes/leader_poll");
        }

        @Override
        void bindWrite(Params params) throws SQLException {
            params.number(self.config().lease().toMillis())
                    .texts(words(self.roles()))
                    .text(self.node())
                    .uuid(self.incarnation());
        }

        @Override
        void bindRead(Params params, Connection connection) throws SQLException {
            if (advisory) {
                List<LeaderRole> unlocked = self.roles().stream()
                        .filter(role -> !locks(connection).contains(role))
                        .toList();
                params.texts(words(unlocked)).column("int4", unlocked, LeaderRole::number);
            }
        }

        @Override
        List<RoleRow> read(ResultSet rows, Connection connection) throws SQLException {
            List<RoleRow> roleRows = new ArrayList<>();
            while (rows.next()) {
                roleRow(connection, rows, advisory).ifPresent(roleRows::add);
            }
            return roleRows;
        }
    }

    /** Empty for a role of a later version. */
    private Optional<RoleRow> roleRow(Connection connection, ResultSet row, boolean advisory) throws SQLException {
        Optional<LeaderRole> known = LeaderRole.find(row.getString("role"));
        if (known.isEmpty()) {
            return Optional.empty();
        }
        LeaderRole role = known.get();
        if (row.getBoolean("locked")) {
            locks(connection).add(role);
        }
        boolean live = row.getBoolean("live");
        boolean mine = row.getBoolean("mine");
        String text = row.getString("strategy");
        Optional<Strategy> strategy = Arrays.stream(Strategy.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst();
        // How the holder keeps a role by a strategy of a newer version is not known here, so this node leaves it alone.
        boolean foreign = text != null && strategy.isEmpty();
        boolean orphaned = advisory
                && strategy.filter(Strategy.ADVISORY::equals).isPresent()
                && locks(connection).contains(role);
        return Optional.of(new RoleRow(
                role,
                holder(role, row),
                live,
                mine,
                !foreign && !mine && (!live || orphaned),
                strategy.orElse(null),
                Duration.ofMillis(Math.max(0, row.getLong("left_ms"))),
                Duration.ofMillis(Math.max(0, row.getLong("silent_ms")))));
    }

    private static @Nullable LeaderTerm holder(LeaderRole role, ResultSet row) throws SQLException {
        String node = row.getString("node_id");
        return node == null
                ? null
                : new LeaderTerm(
                        role,
                        node,
                        row.getObject("incarnation", UUID.class),
                        row.getLong("timeline"),
                        row.getLong("term"));
    }

    @Override
    public Optional<LeaderTerm> takeOver(Candidate self, LeaderRole role) {
        return control.call(connection -> {
            boolean advisory = advisory(self);
            if (advisory && !locks(connection).contains(role)) {
                endHolder(connection, role);
                lock(connection, role);
            }
            return win(connection, self, role, advisory);
        });
    }

    private static boolean advisory(Candidate self) {
        return self.config().strategy() == Strategy.ADVISORY;
    }

    private void endHolder(Connection connection, LeaderRole role) throws SQLException {
        Query end = database.query("leaders/end_holder")
                .with(p -> p.number(role.number()).text(role.text()));
        try {
            if (end.one(connection, row -> row.getInt("ended")) > 0) {
                log.warn("role={} ended the session of a leader whose lease had run out", role.text());
            }
        } catch (SQLException e) {
            if (!SqlStates.notAllowed(e)) {
                throw e;
            }
            // The session belongs to another database role. One lease later the row alone decides.
            log.warn("role={} its lease ran out, but its session may not be ended: {}", role.text(), e.getMessage());
        }
    }

    private void lock(Connection connection, LeaderRole role) throws SQLException {
        Query lock = database.query("leaders/lock").with(p -> p.number(role.number()));
        if (lock.one(connection, row -> row.getBoolean(1))) {
            locks(connection).add(role);
        }
    }

    private Optional<LeaderTerm> win(Connection connection, Candidate self, LeaderRole role, boolean advisory)
            throws SQLException {
        long lease = self.config().lease().toMillis();
        boolean locked = locks(connection).contains(role);
        return database.query("leaders/take_over")
                .with(p -> p.flag(advisory)
                        .flag(locked)
                        .number(lease)
                        .text(role.text())
                        .text(self.node())
                        .uuid(self.incarnation())
                        .text(self.config().strategy().name().toLowerCase(Locale.ROOT))
                        .number(lease))
                .first(
                        connection,
                        row -> new LeaderTerm(
                                role, self.node(), self.incarnation(), row.getLong("timeline"), row.getLong("term")));
    }

    @Override
    public void release(Candidate self, Set<LeaderRole> roles) {
        control.call(connection -> {
            int released = database.query("leaders/release")
                    .with(p -> p.texts(words(roles)).text(self.node()).uuid(self.incarnation()))
                    .update(connection);
            if (advisory(self)) {
                unlockAll(connection);
            }
            if (!portable && released > 0) {
                wakeOthers(connection);
            }
            return null;
        });
    }

    /** Releases all locks, including those that a failed check took and its repetition took once more. */
    private void unlockAll(Connection connection) throws SQLException {
        database.query("leaders/unlock_all").run(connection);
        locks(connection).clear();
    }

    private void wakeOthers(Connection connection) throws SQLException {
        database.query("wakeup/notify_at_commit")
                .with(p ->
                        p.text(PostgresCoordinator.channelOf(database.schema())).text(PAYLOAD))
                .run(connection);
    }

    /** The locks of this session: a new session has none. */
    private Set<LeaderRole> locks(Connection connection) {
        if (session != connection) {
            session = connection;
            locks.clear();
        }
        return locks;
    }

    @Override
    public <T> T fenced(LeaderTerm term, Duration limit, FencedWork<T> work) {
        return database.inTransaction(connection -> {
            requireTerm(connection, term, limit);
            return work.run(connection);
        });
    }

    private void requireTerm(Connection connection, LeaderTerm term, Duration limit) throws SQLException {
        String unread = portable ? "" : ", set_config('tcp_user_timeout', '5s', true)";
        Query fence = database.preparedQuery("leaders/fence", Map.of("unread", unread))
                .with(p -> p.text(limit.toMillis() + "ms")
                        .text(term.role().text())
                        .number(term.term())
                        .number(term.timeline())
                        .uuid(term.incarnation()));
        try {
            if (!fence.exists(connection)) {
                throw new StaleLeader(
                        "node " + term.node() + " leads " + term.role().text() + " no more: term " + term.term()
                                + " on timeline " + term.timeline() + " is over; nothing was written");
            }
        } catch (SQLException e) {
            if (SqlStates.lockNotAvailable(e)) {
                throw new StaleLeader("node " + term.node() + " may lead "
                        + term.role().text() + " no more: someone is taking over; nothing was written");
            }
            throw e;
        }
    }

    @Override
    public <T> T unfenced(FencedWork<T> work) {
        return database.inTransaction(work::run);
    }

    @Override
    public void onVacancy(Runnable listener) {
        listeners.add(listener);
    }

    /** Whether this notification is about leaders; no queue can have this name. */
    public static boolean concerns(String payload) {
        return payload.equals(PAYLOAD);
    }

    public void vacancy() {
        listeners.forEach(Runnable::run);
    }

    private static List<String> words(Collection<LeaderRole> roles) {
        return roles.stream().map(LeaderRole::text).toList();
    }
}
