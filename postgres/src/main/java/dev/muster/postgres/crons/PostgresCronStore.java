package dev.muster.postgres.crons;

import dev.muster.job.JobId;
import dev.muster.job.Priority;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronInfo.Source;
import dev.muster.schedule.CronStore;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Crons in PostgreSQL. */
public final class PostgresCronStore implements CronStore {
    private static final int TICKS_PER_PASS = 1_000;

    private final Database database;
    private final String crons;
    private final String ticks;
    private final String clock;

    public PostgresCronStore(Database database) {
        this.database = database;
        this.crons = database.schema() + ".muster_crons";
        this.ticks = database.schema() + ".muster_cron_ticks";
        this.clock = database.schema() + ".muster_clock()";
    }

    @Override
    public boolean publish(Collection<CronDefinition> definitions) {
        List<CronDefinition> sorted = definitions.stream()
                .sorted(Comparator.comparing(CronDefinition::name))
                .toList();
        if (sorted.isEmpty()) {
            now();
            return false;
        }
        return database.inRawTransaction(connection -> {
            lockDefinitions(connection);
            upsert(connection, sorted);
            try (PreparedStatement statement = connection.prepareStatement(database.sql("crons/enforce"))) {
                new Params(statement)
                        .texts(sorted.stream().map(CronDefinition::name).toList());
                return statement.executeUpdate() > 0;
            }
        });
    }

    /** Publishers take turns: each must see what the one before has said when it decides which is the newest. */
    private void lockDefinitions(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '10s'");
            statement.execute("SET LOCAL idle_in_transaction_session_timeout = '5s'");
            statement.execute(
                    "LOCK TABLE " + database.schema() + ".muster_cron_definitions IN SHARE ROW EXCLUSIVE MODE");
        }
    }

    private void upsert(Connection connection, List<CronDefinition> definitions) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(database.sql("crons/publish"))) {
            new Params(statement)
                    .column("text", definitions, CronDefinition::name)
                    .column("text", definitions, CronDefinition::fingerprint)
                    .column("text", definitions, CronDefinition::expression)
                    .column("text", definitions, CronDefinition::zone)
                    .column("text", definitions, d -> d.misfire().text())
                    .column("int4", definitions, CronDefinition::catchUpLimit)
                    .column("text", definitions, d -> d.overlap().text())
                    .column("int8", definitions, d -> d.jitter().toMillis())
                    .column("text", definitions, CronDefinition::job)
                    .column("text", definitions, CronDefinition::args)
                    .column("text", definitions, CronDefinition::queue)
                    .column("text", definitions, CronDefinition::capability)
                    .column("int2", definitions, PostgresCronStore::level)
                    .column("int2", definitions, CronDefinition::maxAttempts)
                    .column("int2", definitions, CronDefinition::maxCrashes)
                    .column("int8", definitions, PostgresCronStore::timeoutMillis);
            statement.executeUpdate();
        }
    }

    private static @Nullable Object level(CronDefinition definition) {
        Priority priority = definition.priority();
        return priority == null ? null : priority.level();
    }

    private static @Nullable Object timeoutMillis(CronDefinition definition) {
        Duration timeout = definition.timeout();
        return timeout == null ? null : timeout.toMillis();
    }

    @Override
    public List<String> markGone(Duration silence) {
        return database.inRawTransaction(connection -> {
            lockDefinitions(connection);
            List<String> names = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(database.sql("crons/mark_gone"))) {
                new Params(statement).number(silence.toMillis());
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
            try (PreparedStatement statement = connection.prepareStatement(database.sql("crons/remove_gone"))) {
                statement.executeUpdate();
            }
            forgetDefinitions(connection);
            return names;
        });
    }

    private void forgetDefinitions(Connection connection) throws SQLException {
        String sql = "DELETE FROM " + database.schema() + ".muster_cron_definitions WHERE published_at < " + clock
                + " - interval '30 days'";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.executeUpdate();
        }
    }

    @Override
    public boolean create(CronDefinition definition) {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("crons/create"))) {
                Params params = new Params(statement).text(definition.name());
                bind(params, definition);
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public boolean update(CronDefinition definition) {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("crons/update"))) {
                bind(new Params(statement), definition).text(definition.name());
                return statement.executeUpdate() == 1;
            }
        });
    }

    private static Params bind(Params params, CronDefinition definition) throws SQLException {
        return params.text(definition.expression())
                .text(definition.zone())
                .text(definition.misfire().text())
                .number(definition.catchUpLimit())
                .text(definition.overlap().text())
                .number(definition.jitter().toMillis())
                .text(definition.job())
                .text(definition.args())
                .text(definition.queue())
                .text(definition.capability())
                .optional(level(definition))
                .optional(definition.maxAttempts())
                .optional(definition.maxCrashes())
                .optional(timeoutMillis(definition));
    }

    @Override
    public boolean delete(String name) {
        return update("DELETE FROM " + crons + " WHERE name = ? AND source = 'dynamic'", name);
    }

    @Override
    public boolean pause(String name) {
        return update("UPDATE " + crons + " SET paused_at = coalesce(paused_at, " + clock + ") WHERE name = ?", name);
    }

    @Override
    public boolean resume(String name) {
        return update(
                "UPDATE " + crons
                        + " SET next_tick = CASE WHEN paused_at IS NULL THEN next_tick END, paused_at = NULL, retry_at = NULL"
                        + " WHERE name = ?",
                name);
    }

    private boolean update(String sql, String name) {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).text(name);
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public Optional<CronInfo> find(String name) {
        return database.inRawTransaction(connection -> {
            String sql = database.sql("crons/find") + " WHERE name = ?";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).text(name);
                ResultSet rows = statement.executeQuery();
                return rows.next() ? Optional.of(cron(rows)) : Optional.<CronInfo>empty();
            }
        });
    }

    @Override
    public List<CronInfo> list() {
        return database.inRawTransaction(connection -> {
            List<CronInfo> found = new ArrayList<>();
            String sql = database.sql("crons/find") + " ORDER BY name";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    found.add(cron(rows));
                }
            }
            return found;
        });
    }

    private static CronInfo cron(ResultSet rows) throws SQLException {
        Integer level = rows.getObject("priority", Integer.class);
        Long timeout = rows.getObject("timeout_ms", Long.class);
        return new CronInfo(
                new CronDefinition(
                        rows.getString("name"),
                        rows.getString("expression"),
                        rows.getString("zone"),
                        Misfire.parse(rows.getString("misfire")),
                        rows.getInt("catch_up_limit"),
                        Overlap.parse(rows.getString("overlap")),
                        Duration.ofMillis(rows.getLong("jitter_ms")),
                        rows.getString("job_name"),
                        rows.getString("args"),
                        rows.getString("queue"),
                        rows.getString("capability"),
                        level == null ? null : Priority.ofLevel(level),
                        rows.getObject("max_attempts", Integer.class),
                        rows.getObject("max_crashes", Integer.class),
                        timeout == null ? null : Duration.ofMillis(timeout)),
                Source.parse(rows.getString("source")),
                instant(rows, "paused_at"),
                instant(rows, "gone_at"),
                instant(rows, "next_tick"),
                instant(rows, "last_tick"),
                Optional.ofNullable(rows.getObject("last_job", UUID.class)).map(JobId::of),
                Optional.ofNullable(rows.getString("problem")));
    }

    private static Optional<Instant> instant(ResultSet rows, String column) throws SQLException {
        return Optional.ofNullable(rows.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }

    @Override
    public Instant now() {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT " + clock + " AS now")) {
                ResultSet rows = statement.executeQuery();
                rows.next();
                return instant(rows, "now").orElseThrow();
            }
        });
    }

    @Override
    public DueCrons dueCrons(int limit, Collection<String> except) {
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("crons/agenda"))) {
                new Params(statement).texts(except).number(limit);
                ResultSet rows = statement.executeQuery();
                rows.next();
                List<String> due = List.of((String[]) rows.getArray("due").getArray());
                return new DueCrons(
                        due,
                        Optional.ofNullable(rows.getObject("next_ms", Long.class))
                                .map(Duration::ofMillis));
            }
        });
    }

    @Override
    public Due lockDue(Connection tx, Collection<String> names) throws SQLException {
        List<CronInfo> due = new ArrayList<>();
        String sql = database.sql("crons/find") + "\n" + database.sql("crons/lock_due");
        try (PreparedStatement statement = Database.prepare(tx, sql)) {
            new Params(statement).texts(names);
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                due.add(cron(rows));
            }
        }
        List<UUID> lastJobs = due.stream()
                .flatMap(cron -> cron.lastJob().stream())
                .map(JobId::value)
                .toList();
        return due(tx, due, lastJobs);
    }

    /** In a statement after the one that locks: it sees all that was committed before the locks were granted. */
    private Due due(Connection tx, List<CronInfo> crons, List<UUID> lastJobs) throws SQLException {
        String sql = "SELECT " + clock + " AS now, ARRAY (SELECT j.id FROM " + database.schema()
                + ".muster_jobs j WHERE j.id = ANY (?)) AS live";
        try (PreparedStatement statement = Database.prepare(tx, sql)) {
            new Params(statement).uuids(lastJobs);
            ResultSet rows = statement.executeQuery();
            rows.next();
            Set<JobId> live = Arrays.stream((UUID[]) rows.getArray("live").getArray())
                    .map(JobId::of)
                    .collect(Collectors.toSet());
            return new Due(crons, instant(rows, "now").orElseThrow(), live);
        }
    }

    @Override
    public Set<TickRow> recordTicks(Connection tx, List<TickRow> ticks) throws SQLException {
        Map<List<Object>, TickRow> byTick =
                ticks.stream().collect(Collectors.toMap(row -> List.of(row.cron(), row.tick()), row -> row));
        Set<TickRow> written = new HashSet<>();
        try (PreparedStatement statement = Database.prepare(tx, database.sql("crons/record_ticks"))) {
            new Params(statement)
                    .column("text", ticks, TickRow::cron)
                    .column("timestamptz", ticks, row -> text(row.tick()))
                    .column("uuid", ticks, row -> value(row.job()));
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                written.add(byTick.get(
                        List.of(rows.getString("cron"), instant(rows, "tick").orElseThrow())));
            }
        }
        return written;
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC).toString();
    }

    private static @Nullable UUID value(@Nullable JobId job) {
        return job == null ? null : job.value();
    }

    @Override
    public void advance(Connection tx, List<Moved> moved) throws SQLException {
        try (PreparedStatement statement = Database.prepare(tx, database.sql("crons/advance"))) {
            new Params(statement)
                    .column("text", moved, Moved::cron)
                    .column("timestamptz", moved, cron -> text(cron.nextTick()))
                    .column("timestamptz", moved, cron -> text(cron.lastTick()))
                    .column("uuid", moved, cron -> value(cron.lastJob()));
            statement.executeUpdate();
        }
    }

    @Override
    public void noteProblems(Connection tx, Map<String, String> problems, Duration retryAfter) throws SQLException {
        List<Map.Entry<String, String>> entries = List.copyOf(problems.entrySet());
        try (PreparedStatement statement = tx.prepareStatement(database.sql("crons/note_problems"))) {
            new Params(statement)
                    .number(retryAfter.toMillis())
                    .column("text", entries, Map.Entry::getKey)
                    .column("text", entries, entry -> entry.getValue().replace('\0', '\uFFFD'));
            statement.executeUpdate();
        }
    }

    @Override
    public boolean forgetTicks(Connection tx, Duration retain) throws SQLException {
        String sql = "DELETE FROM " + ticks + " WHERE ctid = ANY (ARRAY (SELECT ctid FROM " + ticks
                + " WHERE fired_at < " + database.schema() + ".muster_statement_clock() - ? * interval '1 millisecond'"
                + " ORDER BY fired_at LIMIT " + TICKS_PER_PASS + "))";
        try (PreparedStatement statement = tx.prepareStatement(sql)) {
            new Params(statement).number(retain.toMillis());
            return statement.executeUpdate() == TICKS_PER_PASS;
        }
    }
}
