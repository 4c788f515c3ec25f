package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession.Want;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.ConcurrencyGroup;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.HeldClaims.ClaimNote;
import dev.muster.postgres.internal.claims.Outcomes.Accepted;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.ServerTimeline;
import dev.muster.postgres.internal.db.StatementPart;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.postgres.internal.db.TidArray;
import dev.muster.runtime.Clock;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes outcomes and claims jobs in one transaction, with one round trip plus the commit; and records what it saw. */
public final class ExchangeTransaction {
    private static final long MICROS_TO_2000 = 946_684_800_000_000L;

    /** The first scan has a shorter time limit, because it may meet millions of jobs for other nodes. */
    private static final String FIRST_SCAN = "SELECT set_config('statement_timeout', '2s', true)";

    /** As many characters of small args as {@code jobs/parts/claim_picked.sql} sends. */
    private static final int MOST_CHARACTERS = 16_384;

    private final Database database;
    private final ClaimFilter filter;
    private final HeldClaims held;
    private final List<FeatureOutcomes> features;
    private final Clock clock;
    final long begunNanos;

    /** Where it claims. */
    final ScanPlan plan;

    /** Whether it claims jobs that run alone. */
    final boolean alone;

    /** How many bytes of args and metadata may come with each job. */
    private final int maxContent;

    /** Keeps it within the limit of the queue that it claims from; null if it claims from queues without a limit. */
    final @Nullable QueueRoom room;

    /** For whom it claims. */
    private final Object session;

    /** The notes that are deleted. */
    final List<ClaimNote> settled;

    final Accepted accepted = new Accepted();
    final List<ClaimedJob> claimed = new ArrayList<>();
    final List<FoundJob> hits = new ArrayList<>();
    long clockMicros;
    long timeline;
    long walTimeline;
    Set<String> paused = Set.of();

    /** The limited queues that are not paused. */
    Set<String> limited = Set.of();

    /** Whether a free row carried the mark of a lock that had been given up. */
    boolean xmaxSet;

    /** How long it took so far, without the query for the next due job. */
    long scanNanos;

    /** The time until the next job in these lanes is due, or until it is time to ask again, if the scan has seen everything that is due. */
    Optional<Duration> nextDue = Optional.empty();

    private @Nullable ScanResult result;
    private int ended;

    /**
     * What it claims.
     *
     * @param plan where it looks for jobs
     * @param room keeps it within the limit of the queue that it claims from; null if it claims from queues without a limit
     * @param session for whom it claims
     */
    record Claiming(
            ClaimFilter filter,
            ScanPlan plan,
            Want wanted,
            @Nullable QueueRoom room,
            Object session) {}

    ExchangeTransaction(
            Database database, HeldClaims held, List<FeatureOutcomes> features, Claiming claiming, Clock clock) {
        this.database = database;
        this.filter = claiming.filter();
        this.held = held;
        this.features = features;
        this.plan = claiming.plan();
        this.alone = claiming.wanted().alone();
        this.maxContent = claiming.wanted().maxContent();
        this.room = claiming.room();
        this.session = claiming.session();
        this.clock = clock;
        this.begunNanos = clock.nanos();
        this.settled = held.takeSettled();
    }

    /** Does everything but the commit. */
    void run(Connection connection, List<Outcome> reported, int want) throws SQLException {
        try {
            send(connection, reported, want);
        } finally {
            scanNanos = clock.nanos() - begunNanos;
        }
        int limit = room == null ? want : Math.min(want, room.allowed());
        result = ScanResult.of(plan, hits, limit, limit);
        if (claims() && result.sawAll() && !plan.partial()) {
            nextDue = nextDue(connection);
        }
    }

    /** What its scan found and saw. */
    ScanResult result() {
        return Objects.requireNonNull(result, "the scan has not ended");
    }

    private void send(Connection connection, List<Outcome> reported, int want) throws SQLException {
        Outcomes outcomes = new Outcomes(reported, features);
        Outcomes.Answer answer = outcomes.new Answer();
        if (outcomes.hasProgress()) {
            held.forgetCtids(outcomes.reporting());
        }
        long[] ctids = held.ctids(outcomes.ending());
        List<StatementPart> parts = parts(outcomes, answer, ctids, want);
        StatementPart.send(connection, parts);
        if (ctids != null && ended < outcomes.ending().size()) {
            ended += finishById(connection, outcomes);
            if (room != null) {
                room.jobsEndedLater();
            }
        }
        answer.ended(ended);
        accepted.add(answer);
    }

    private List<StatementPart> parts(Outcomes outcomes, Outcomes.Answer answer, long @Nullable [] ctids, int want) {
        List<StatementPart> parts = new ArrayList<>();
        parts.add(StatementPart.unread(Database.READ_COMMITTED));
        parts.add(new StatementPart(database.sql("jobs/preamble"), params -> {}, this::readPreamble));
        if (outcomes.hasProgress()) {
            parts.add(StatementPart.unread(database.sql("jobs/last_progress"), outcomes::bindProgress));
        }
        if (outcomes.hasEnding()) {
            parts.add(
                    ctids == null
                            ? new StatementPart(database.sql("jobs/finish"), outcomes::bindEnding, this::readEnded)
                            : new StatementPart(
                                    database.sql("jobs/finish_by_ctid"),
                                    params -> outcomes.bindEnding(params.ctids(ctids)),
                                    this::readEnded));
        }
        if (outcomes.hasReturning()) {
            parts.add(new StatementPart(
                    database.sql("jobs/requeue"),
                    outcomes::bindReturning,
                    statement -> answer.returned(StatementPart.rows(statement))));
        }
        parts.addAll(outcomes.featureParts(answer));
        if (!settled.isEmpty()) {
            parts.add(StatementPart.unread(database.sql("jobs/delete_notes"), this::bindOver));
        }
        if (claims()) {
            if (plan.reach() == Reach.RECENT && startsAtTheBeginning()) {
                parts.add(StatementPart.unread(FIRST_SCAN));
            }
            if (room != null) {
                parts.addAll(room.parts(database));
            }
            parts.add(new StatementPart(
                    database.sql(room == null ? "jobs/claim" : "jobs/claim_limited"),
                    params -> bindClaim(params, want),
                    statement -> readClaimed(StatementPart.rows(statement))));
        }
        return parts;
    }

    private boolean startsAtTheBeginning() {
        return Arrays.stream(plan.starts()).anyMatch(start -> start <= LaneCursor.BEGINNING);
    }

    /** Whether there is anywhere to claim from. */
    boolean claims() {
        return plan.ranks().length > 0;
    }

    private void readPreamble(PreparedStatement statement) throws SQLException {
        ResultSet rows = StatementPart.rows(statement);
        timeline = database.timeline().read(rows);
        walTimeline = ServerTimeline.walTimeline(rows);
        clockMicros = rows.getLong("clock_micros");
        paused = names(rows.getArray("paused"));
        limited = names(rows.getArray("limited"));
    }

    private static Set<String> names(@Nullable Array names) throws SQLException {
        return names == null ? Set.of() : Set.of((String[]) names.getArray());
    }

    private void readEnded(PreparedStatement statement) throws SQLException {
        ended = statement.getUpdateCount();
    }

    /** Ends claims whose rows were not found by their ctids; the live rows of the others are gone by now. */
    private int finishById(Connection connection, Outcomes outcomes) throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/finish"))) {
            outcomes.bindEnding(new Params(statement));
            return statement.executeUpdate();
        }
    }

    private void bindOver(Params params) throws SQLException {
        ClaimNote.bind(params, settled, filter.node());
    }

    private void bindClaim(Params params, int want) throws SQLException {
        params.flag(!plan.trustsXmax())
                .shorts(plan.ranks())
                .texts(plan.queues())
                .texts(plan.capabilities())
                .longs(plan.starts())
                .texts(filter.names())
                .texts(filter.names())
                .flag(alone)
                .number(want)
                .number(want)
                .text(filter.node())
                .number(filter.lease().toMillis())
                .number(maxContent);
    }

    private void readClaimed(ResultSet rows) throws SQLException {
        Lane lane = new Lane("", "");
        ClaimNote note = null;
        while (rows.next()) {
            lane = lane(lane, rows.getString(4), rows.getString(5));
            long readyMicros = micros(rows.getBytes(7));
            hits.add(new FoundJob(lane, rows.getInt(6), readyMicros));
            ClaimRef claim = Outcomes.claim(rows);
            if (note == null) {
                note = new ClaimNote(rows.getLong(17), claim.id(), room == null ? null : room.queue(), session);
                xmaxSet = rows.getBoolean(18);
            }
            held.remember(claim, TidArray.read(rows.getBytes(16)), note);
            String group = rows.getString(19);
            claimed.add(new ClaimedJob(
                    claim,
                    timeline,
                    rows.getString(3),
                    lane,
                    rows.getInt(8),
                    nullableInt(rows, 9),
                    nullableInt(rows, 10),
                    rows.getInt(11),
                    rows.getBoolean(12),
                    nullableMillis(rows, 13),
                    wholeArgs(rows.getString(14)),
                    rows.getString(15),
                    Math.max(0, clockMicros - readyMicros),
                    room != null || ConcurrencyGroup.limitsRunning(group),
                    group,
                    rows.getString(20)));
        }
        putInOrder();
    }

    /** Args that were cut off are read when their job starts, like large ones. */
    private static @Nullable String wholeArgs(@Nullable String args) {
        boolean cut = args != null
                && args.length() >= MOST_CHARACTERS
                && args.codePointCount(0, args.length()) == MOST_CHARACTERS;
        return cut ? null : args;
    }

    /** Neighbouring jobs usually have the same lane, and then share one object and its cached hash codes. */
    private static Lane lane(Lane last, String queue, String capability) {
        return last.queue().equals(queue) && last.capability().equals(capability) ? last : new Lane(queue, capability);
    }

    /** PostgreSQL sends times as microseconds since 2000. */
    static long micros(byte[] sent) {
        return ByteBuffer.wrap(sent).getLong() + MICROS_TO_2000;
    }

    private static @Nullable Integer nullableInt(ResultSet rows, int column) throws SQLException {
        int value = rows.getInt(column);
        return rows.wasNull() ? null : value;
    }

    private static @Nullable Duration nullableMillis(ResultSet rows, int column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : Duration.ofMillis(value);
    }

    /** The update returns rows by their ctids; jobs run by rank, then by the time they became ready. */
    private void putInOrder() {
        if (isInOrder()) {
            return;
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < hits.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.<Integer>comparingInt(i -> -hits.get(i).rank())
                .thenComparingLong(i -> hits.get(i).readyMicros()));
        List<ClaimedJob> sorted = order.stream().map(claimed::get).toList();
        claimed.clear();
        claimed.addAll(sorted);
    }

    private boolean isInOrder() {
        for (int i = 1; i < hits.size(); i++) {
            FoundJob before = hits.get(i - 1);
            FoundJob hit = hits.get(i);
            if (before.rank() < hit.rank() || before.rank() == hit.rank() && before.readyMicros() > hit.readyMicros()) {
                return false;
            }
        }
        return true;
    }

    private Optional<Duration> nextDue(Connection connection) throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/next_due"))) {
            new Params(statement)
                    .shorts(plan.ranks())
                    .texts(plan.queues())
                    .texts(plan.capabilities())
                    .texts(filter.names())
                    .texts(filter.names());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                long millis = rows.getLong(1);
                return rows.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
            }
        }
    }
}
