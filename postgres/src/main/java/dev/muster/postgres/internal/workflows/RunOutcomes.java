package dev.muster.postgres.internal.workflows;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Parked;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.FeatureOutcomes;
import dev.muster.postgres.internal.claims.Outcomes;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.StatementPart;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parks and ends runs in the exchange: the runs' rows are locked first, in a statement of its own. */
public final class RunOutcomes implements FeatureOutcomes {
    /** Nodes find what is due later by their probes. */
    private static final Duration WORTH_TELLING = Duration.ofDays(1);

    private final Database database;

    public RunOutcomes(Database database) {
        this.database = database;
    }

    @Override
    public boolean takes(Outcome.OfFeature outcome) {
        return outcome instanceof Parked || outcome instanceof Ended;
    }

    @Override
    public List<StatementPart> parts(List<Outcome.OfFeature> outcomes, Answer answer) {
        List<Parked> parked = only(outcomes, Parked.class);
        List<Ended> alone = endings(outcomes, true);
        List<Ended> ended = endings(outcomes, false);
        List<StatementPart> parts = new ArrayList<>();
        if (!alone.isEmpty()) {
            parts.add(endAlone(alone, answer));
        }
        if (!parked.isEmpty() || !ended.isEmpty()) {
            List<Outcome> locked = new ArrayList<>(parked);
            locked.addAll(ended);
            parts.add(StatementPart.unread(
                    database.sql("workflows/lock_runs"),
                    params -> params.uuids(ids(locked)).uuids(ids(ended))));
        }
        if (!parked.isEmpty()) {
            parts.add(park(parked, answer));
        }
        if (!ended.isEmpty()) {
            parts.add(end(ended, answer));
        }
        return parts;
    }

    private static <T> List<T> only(List<Outcome.OfFeature> outcomes, Class<T> type) {
        return outcomes.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** @param alone those that nobody else has to be told of, or the others */
    private static List<Ended> endings(List<Outcome.OfFeature> outcomes, boolean alone) {
        return only(outcomes, Ended.class).stream()
                .filter(end -> (end.child() || end.successor() != null) != alone)
                .toList();
    }

    private static List<UUID> ids(List<? extends Outcome> outcomes) {
        return outcomes.stream().map(outcome -> outcome.claim().id().value()).toList();
    }

    private static List<ClaimRef> claims(List<? extends Outcome> outcomes) {
        return outcomes.stream().map(Outcome::claim).toList();
    }

    private StatementPart park(List<Parked> parked, Answer answer) {
        return new StatementPart(
                database.sql("workflows/park"),
                params -> params.claims(claims(parked))
                        .column("text", parked, run -> run.status().text())
                        .column("timestamptz", parked, run -> time(run.due()))
                        .column("text", parked, run -> String.join(" ", run.awaiting()))
                        .column("text", parked, Parked::reason)
                        .column("bool", parked, Parked::pausing)
                        .column("bool", parked, Parked::elsewhere),
                statement -> readParked(StatementPart.rows(statement), answer));
    }

    private static void readParked(ResultSet rows, Answer answer) throws SQLException {
        while (rows.next()) {
            answer.written(Outcomes.claim(rows));
            Duration delay = Duration.ofMillis(rows.getLong(5));
            if (delay.compareTo(WORTH_TELLING) <= 0) {
                answer.pendingAgain(new Lane(rows.getString(3), rows.getString(4)), delay);
            }
        }
    }

    static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    private StatementPart endAlone(List<Ended> ended, Answer answer) {
        return new StatementPart(database.sql("workflows/end_alone"), params -> bindEnds(params, ended), statement -> {
            ResultSet rows = StatementPart.rows(statement);
            while (rows.next()) {
                answer.written(Outcomes.claim(rows));
            }
        });
    }

    private static Params bindEnds(Params params, List<Ended> ended) throws SQLException {
        return params.claims(claims(ended))
                .column("text", ended, run -> run.status().text())
                .column("text", ended, Ended::result)
                .column("text", ended, Ended::error)
                .column("text", ended, run -> run.failedSteps().isEmpty() ? null : String.join(" ", run.failedSteps()))
                .column("text", ended, Ended::reason);
    }

    private StatementPart end(List<Ended> ended, Answer answer) {
        return new StatementPart(
                database.sql("workflows/end"),
                params -> bindEnds(params, ended)
                        .column("uuid", ended, next(run -> run.id().value()))
                        .column("text", ended, next(NewRun::input))
                        .column("text", ended, next(run -> run.definition().version()))
                        .column("text", ended, next(run -> run.definition().signature()))
                        .column("text", ended, next(run -> run.definition().driver()))
                        .column("text", ended, next(run -> run.options().lane().queue()))
                        .column("text", ended, next(run -> run.options().lane().capability()))
                        .column("int2", ended, next(run -> run.options().maxCrashes())),
                statement -> readEnded(StatementPart.rows(statement), answer));
    }

    /** Something of the run that continues the one that has ended; null if there is none. */
    private static <T> Function<Ended, @Nullable T> next(Function<NewRun, @Nullable T> value) {
        return ended -> ended.successor() == null ? null : value.apply(ended.successor());
    }

    private static void readEnded(ResultSet rows, Answer answer) throws SQLException {
        while (rows.next()) {
            if (rows.getObject(1) != null) {
                answer.written(Outcomes.claim(rows));
            }
            if (rows.getString(3) != null) {
                answer.pendingAgain(new Lane(rows.getString(3), rows.getString(4)), Duration.ZERO);
            }
        }
    }
}
