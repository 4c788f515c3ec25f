package dev.muster.postgres.internal.crons;

import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.job.store.PageText;
import dev.muster.internal.runtime.StorableText;
import dev.muster.internal.schedule.CronStore;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronInfo.Source;
import dev.muster.schedule.CronTick;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
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

/** Keeps the definitions of crons, fires those that are due, and records their ticks. */
public final class PostgresCronStore implements CronStore {
    private static final int TICKS_PER_PASS = 1_000;
    private static final int PORTION = 10;

    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);

    private final Database database;
    private final Readers readers;

    public PostgresCronStore(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    @Override
    public boolean publish(Collection<CronDefinition> definitions) {
        List<CronDefinition> sorted = definitions.stream()
                .sorted(Comparator.comparing(CronDefinition::name))
                .toList();
        return database.inRawTransaction(connection -> {
            lockDefinitions(connection);
            upsert(connection, sorted);
            return database.query("crons/enforce")
                            .with(p -> p.texts(
                                    sorted.stream().map(CronDefinition::name).toList()))
                            .update(connection)
                    > 0;
        });
    }

    private void lockDefinitions(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '10s'");
            statement.execute("SET LOCAL idle_in_transaction_session_timeout = '5s'");
            statement.execute(database.sql("crons/lock_definitions"));
        }
    }

    private void upsert(Connection connection, List<CronDefinition> definitions) throws SQLException {
        database.query("crons/publish")
                .with(p -> p.column("text", definitions, CronDefinition::name)
                        .column("text", definitions, CronDefinition::fingerprint)
                        .column("text", definitions, CronDefinition::expression)
                        .column("text", definitions, CronDefinition::zone)
                        .column("text", definitions, d -> d.misfire().text())
                        .column("int4", definitions, CronDefinition::catchUpLimit)
                        .column("text", definitions, d -> d.overlap().text())
                        .column("int8", definitions, d -> d.jitter().toMillis())
                        .column("text", definitions, CronDefinition::job)
                        .column("text", definitions, CronDefinition::args)
                        .column("text", definitions, d -> d.options().queue())
                        .column("text", definitions, d -> d.options().capability())
                        .column("int2", definitions, PostgresCronStore::level)
                        .column("int2", definitions, d -> d.options().maxAttempts())
                        .column("int2", definitions, d -> d.options().maxCrashes())
                        .column("int8", definitions, PostgresCronStore::timeoutMillis))
                .update(connection);
    }

    private static @Nullable Object level(CronDefinition definition) {
        Priority priority = definition.options().priority();
        return priority == null ? null : priority.level();
    }

    private static @Nullable Object timeoutMillis(CronDefinition definition) {
        Duration timeout = definition.options().timeout();
        return timeout == null ? null : timeout.toMillis();
    }

    @Override
    public List<String> markGone(Duration silence) {
        return database.inRawTransaction(connection -> {
            lockDefinitions(connection);
            List<String> names = database.query("crons/mark_gone")
                    .with(p -> p.number(silence.toMillis()))
                    .list(connection, row -> row.getString(1));
            database.query("crons/remove_gone").update(connection);
            database.query("crons/forget_definitions").update(connection);
            return names;
        });
    }

    @Override
    public boolean create(CronDefinition definition) {
        return update(database.query("crons/create").with(p -> bind(p.text(definition.name()), definition)));
    }

    @Override
    public boolean update(CronDefinition definition, Optional<Instant> unchangedSince) {
        return update(database.query("crons/update")
                .with(p -> bind(p, definition)
                        .text(definition.name())
                        .optionalTime(unchangedSince
                                .map(time -> time.atOffset(ZoneOffset.UTC))
                                .orElse(null))));
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
                .text(definition.options().queue())
                .text(definition.options().capability())
                .optional(level(definition))
                .optional(definition.options().maxAttempts())
                .optional(definition.options().maxCrashes())
                .optional(timeoutMillis(definition));
    }

    @Override
    public boolean delete(String name, Optional<Instant> unchangedSince) {
        return update(database.query("crons/delete")
                .with(p -> p.text(name)
                        .optionalTime(unchangedSince
                                .map(time -> time.atOffset(ZoneOffset.UTC))
                                .orElse(null))));
    }

    @Override
    public boolean pause(String name) {
        return update(database.query("crons/pause").with(p -> p.text(name)));
    }

    @Override
    public boolean resume(String name) {
        return update(database.query("crons/resume").with(p -> p.text(name)));
    }

    private boolean update(Query query) {
        return database.inRawTransaction(connection -> query.update(connection) == 1);
    }

    @Override
    public Optional<CronInfo> find(String name) {
        return readers.asPlanned(LIST_LIMIT, connection -> find(connection, name));
    }

    @Override
    public Optional<CronInfo> current(String name) {
        return database.readingRaw(connection -> find(connection, name));
    }

    private Optional<CronInfo> find(Connection connection, String name) throws SQLException {
        return database.query("crons/find").with(p -> p.text(name)).first(connection, PostgresCronStore::cron);
    }

    @Override
    public List<CronInfo> list() {
        return readers.asPlanned(
                LIST_LIMIT,
                connection -> database.query("crons/list")
                        .with(p -> p.text(LeftOut.TEXT))
                        .inPortions(connection, PORTION, PostgresCronStore::crons));
    }

    /** The driver holds some rows at a time, and args that have no room are not kept. */
    private static List<CronInfo> crons(ResultSet rows) throws SQLException {
        PageText text = PageText.ofSearch();
        List<CronInfo> crons = new ArrayList<>();
        while (rows.next()) {
            crons.add(withArgs(rows, text));
        }
        return crons;
    }

    private static CronInfo cron(ResultSet rows) throws SQLException {
        return withArgs(rows, PageText.unlimited());
    }

    private static CronInfo withArgs(ResultSet rows, PageText text) throws SQLException {
        Integer level = rows.getObject("priority", Integer.class);
        Long timeout = rows.getObject("timeout_ms", Long.class);
        return new CronInfo(
                new CronDefinition(
                        rows.getString("name"),
                        rows.getString("expression"),
                        rows.getString("zone"),
                        Misfire.stored(rows.getString("misfire")),
                        rows.getInt("catch_up_limit"),
                        Overlap.stored(rows.getString("overlap")),
                        Duration.ofMillis(rows.getLong("jitter_ms")),
                        rows.getString("job_name"),
                        text.orLeftOut(rows.getString("args")),
                        new JobOptions(
                                rows.getString("queue"),
                                rows.getString("capability"),
                                level == null ? null : Priority.ofLevel(level),
                                rows.getObject("max_attempts", Integer.class),
                                rows.getObject("max_crashes", Integer.class),
                                timeout == null ? null : Duration.ofMillis(timeout))),
                Source.stored(rows.getString("source")),
                Rows.optionalInstant(rows, "paused_at"),
                Rows.optionalInstant(rows, "gone_at"),
                Rows.optionalInstant(rows, "next_tick"),
                Rows.optionalInstant(rows, "last_tick"),
                Optional.ofNullable(rows.getObject("last_job", UUID.class)).map(JobId::of),
                Rows.optionalText(rows, "problem"),
                Rows.instant(rows, "updated_at"));
    }

    @Override
    public Instant readTime() {
        return readers.asPlanned(
                LIST_LIMIT,
                connection -> database.query("transactions/now").one(connection, row -> Rows.instant(row, "now")));
    }

    @Override
    public List<CronTick> history(String name, int limit) {
        Query query = database.query("crons/history").with(p -> p.text(name).number(limit));
        return readers.alongIndexes(LIST_LIMIT, connection -> query.list(connection, PostgresCronStore::tick));
    }

    private static CronTick tick(ResultSet row) throws SQLException {
        return new CronTick(
                Rows.instant(row, "tick"),
                Optional.ofNullable(row.getObject("job_id", UUID.class)).map(JobId::new),
                Rows.optionalText(row, "status").map(JobStatus::stored),
                Rows.optionalInstant(row, "finished_at"));
    }

    @Override
    public Instant now() {
        // It reads no table, so it needs none of the limits that a transaction sets.
        try {
            return database.statement(
                    connection -> database.query("transactions/now").one(connection, row -> Rows.instant(row, "now")));
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    @Override
    public DueCrons dueCrons(int limit, Collection<String> except) {
        Query due =
                database.preparedQuery("crons/due").with(p -> p.texts(except).number(limit));
        return database.inRawTransaction(connection -> due.one(
                connection,
                row -> new DueCrons(
                        List.of((String[]) row.getArray("due").getArray()),
                        Optional.ofNullable(row.getObject("next_ms", Long.class))
                                .map(Duration::ofMillis))));
    }

    @Override
    public Due lockDue(Connection tx, Collection<String> names) throws SQLException {
        List<CronInfo> due = database.preparedQuery("crons/lock_due")
                .with(p -> p.texts(names))
                .list(tx, PostgresCronStore::cron);
        List<UUID> lastJobs = due.stream()
                .flatMap(cron -> cron.lastJob().stream())
                .map(JobId::value)
                .toList();
        return database.preparedQuery("crons/last_jobs")
                .with(p -> p.uuids(lastJobs))
                .one(tx, row -> new Due(due, Rows.instant(row, "now"), liveJobs(row)));
    }

    private static Set<JobId> liveJobs(ResultSet row) throws SQLException {
        return Arrays.stream((UUID[]) row.getArray("live").getArray())
                .map(JobId::of)
                .collect(Collectors.toSet());
    }

    @Override
    public Set<TickRow> recordTicks(Connection tx, List<TickRow> ticks) throws SQLException {
        Map<List<Object>, TickRow> byTick =
                ticks.stream().collect(Collectors.toMap(row -> List.of(row.cron(), row.tick()), row -> row));
        return new HashSet<>(database.preparedQuery("crons/record_ticks")
                .with(p -> p.column("text", ticks, TickRow::cron)
                        .column("timestamptz", ticks, row -> text(row.tick()))
                        .column("uuid", ticks, row -> value(row.job())))
                .list(tx, row -> byTick.get(List.of(row.getString("cron"), Rows.instant(row, "tick")))));
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC).toString();
    }

    private static @Nullable UUID value(@Nullable JobId job) {
        return job == null ? null : job.value();
    }

    @Override
    public void advance(Connection tx, List<Moved> moved) throws SQLException {
        database.preparedQuery("crons/advance")
                .with(p -> p.column("text", moved, Moved::cron)
                        .column("timestamptz", moved, cron -> text(cron.nextTick()))
                        .column("timestamptz", moved, cron -> text(cron.lastTick()))
                        .column("uuid", moved, cron -> value(cron.lastJob())))
                .update(tx);
    }

    @Override
    public void noteProblems(Connection tx, Map<String, String> problems, Duration retryAfter) throws SQLException {
        List<Map.Entry<String, String>> entries = List.copyOf(problems.entrySet());
        database.query("crons/note_problems")
                .with(p -> p.number(retryAfter.toMillis())
                        .column("text", entries, Map.Entry::getKey)
                        .column("text", entries, entry -> StorableText.of(entry.getValue())))
                .update(tx);
    }

    @Override
    public boolean forgetTicks(Connection tx, Duration retain) throws SQLException {
        int forgotten = database.query("crons/forget_ticks", Map.of("limit", String.valueOf(TICKS_PER_PASS)))
                .with(p -> p.number(retain.toMillis()))
                .update(tx);
        return forgotten == TICKS_PER_PASS;
    }
}
