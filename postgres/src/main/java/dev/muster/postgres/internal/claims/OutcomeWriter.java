package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.StorableText;
import dev.muster.postgres.internal.claims.ClaimLookup.Ended;
import dev.muster.postgres.internal.claims.Outcomes.Accepted;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.StatementPart;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes outcomes so that an outcome that the database cannot store fails only its own job. Most outcomes are written by {@link
 * ExchangeTransaction}, in the transaction that also claims; this class writes what that could not, and finds out which outcomes were
 * rejected because their claim was lost.
 */
final class OutcomeWriter {
    private static final Logger log = LoggerFactory.getLogger(OutcomeWriter.class);

    /** How the error begins that is stored if the database refuses an outcome. */
    static final String REFUSED = "the database refused the outcome of this job: ";

    private final Database database;
    private final ClaimLookup lookup;
    private final PartitionCreator partitions;
    private final List<FeatureOutcomes> features;

    OutcomeWriter(Database database, List<FeatureOutcomes> features) {
        this.database = database;
        this.features = features;
        this.lookup = new ClaimLookup(database);
        this.partitions = new PartitionCreator(database);
    }

    /** Writes all outcomes except those it has to defer. */
    Accepted write(List<Outcome> chunk) {
        Accepted accepted = new Accepted();
        if (!chunk.isEmpty()) {
            write(chunk, accepted);
        }
        return accepted;
    }

    private void write(List<Outcome> chunk, Accepted accepted) {
        try {
            accepted.add(send(new Outcomes(chunk, features)));
        } catch (SQLException e) {
            if (!refusesOne(e)) {
                throw DatabaseErrors.translate(e);
            }
            if (SqlStates.noPartition(e)) {
                partitions.prepareDays();
            }
            if (chunk.size() > 1) {
                int half = chunk.size() / 2;
                write(chunk.subList(0, half), accepted);
                write(chunk.subList(half, chunk.size()), accepted);
            } else {
                writeRefused(chunk.get(0), e, accepted);
            }
        }
    }

    /** Whether the error concerns one outcome: a data error, a constraint violation, an exceeded limit or a locked row. */
    private static boolean refusesOne(SQLException e) {
        return SqlStates.cannotBeStored(e)
                || SqlStates.violatesConstraint(e)
                || SqlStates.lockNotAvailable(e)
                || SqlStates.timedOut(e);
    }

    private void writeRefused(Outcome outcome, SQLException e, Accepted accepted) {
        if (SqlStates.lockNotAvailable(e) || SqlStates.timedOut(e)) {
            accepted.deferred.add(outcome);
            return;
        }
        if (SqlStates.noPartition(e) && !(outcome instanceof Outcome.Failed)) {
            writeAlone(outcome, accepted);
            return;
        }
        log.warn(
                "job={} outcome refused by the database, the job fails: sqlstate={} {}",
                outcome.claim().id(),
                e.getSQLState(),
                e.getMessage());
        String error = REFUSED + clean(e.getMessage());
        writeAlone(new Outcome.Failed(outcome.claim(), error), accepted);
        accepted.refused.put(outcome.claim(), error);
    }

    private void writeAlone(Outcome outcome, Accepted accepted) {
        try {
            accepted.add(send(new Outcomes(List.of(outcome), features)));
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    private static String clean(String message) {
        return message == null ? "" : StorableText.of(message);
    }

    private Outcomes.Answer send(Outcomes parts) throws SQLException {
        return database.onceOrSpare(connection -> {
            Outcomes.Answer answer = parts.new Answer();
            StatementPart.send(connection, statements(parts, answer));
            return answer;
        });
    }

    private List<StatementPart> statements(Outcomes parts, Outcomes.Answer answer) {
        List<StatementPart> statements = new ArrayList<>(database.settings());
        if (parts.hasProgress()) {
            statements.add(StatementPart.unread(database.sql("jobs/last_progress"), parts::bindProgress));
        }
        if (parts.hasEnding()) {
            statements.add(new StatementPart(
                    database.sql("jobs/finish"),
                    parts::bindEnding,
                    statement -> answer.ended(statement.getUpdateCount())));
        }
        if (parts.hasReturning()) {
            statements.add(new StatementPart(
                    database.sql("jobs/requeue"),
                    parts::bindReturning,
                    statement -> answer.returned(StatementPart.rows(statement))));
        }
        statements.addAll(parts.featureParts(answer));
        return statements;
    }

    /**
     * The result for a chunk.
     *
     * @param rejected the claims that were lost
     * @param deferred the outcomes that have to be sent again
     */
    record WriteResult(Set<ClaimRef> rejected, List<Outcome> deferred) {}

    /**
     * Checks the outcomes that were not written. An outcome that is in history with its token was accepted earlier; if history has
     * another one with that token, the claim was taken back. An outcome whose claim is still current met a row that was being changed, and is sent again.
     */
    WriteResult findRejected(List<Outcome> chunk, Accepted accepted) {
        Set<ClaimRef> missing = new HashSet<>(accepted.unconfirmed);
        if (!missing.isEmpty()) {
            removeAcceptedEarlier(chunk, accepted, missing);
        }
        if (missing.isEmpty()) {
            return new WriteResult(Set.of(), accepted.deferred);
        }
        return result(chunk, accepted, missing, lookup.inspect(missing).lost());
    }

    private void removeAcceptedEarlier(List<Outcome> chunk, Accepted accepted, Set<ClaimRef> missing) {
        Map<ClaimRef, Ended> ended = lookup.ended(missing);
        for (Outcome outcome : chunk) {
            Ended end = ended.get(outcome.claim());
            if (end != null && end.isOf(outcome)) {
                missing.remove(outcome.claim());
                accepted.endedEarlier(outcome, end);
            }
        }
    }

    /** If the check fails, outcomes that may not have been written are sent again. */
    static WriteResult again(List<Outcome> chunk, Accepted accepted) {
        return result(chunk, accepted, accepted.unconfirmed, Set.of());
    }

    private static WriteResult result(
            List<Outcome> chunk, Accepted accepted, Set<ClaimRef> missing, Set<ClaimRef> lost) {
        List<Outcome> deferred = new ArrayList<>(accepted.deferred);
        for (Outcome outcome : chunk) {
            if (missing.contains(outcome.claim()) && !lost.contains(outcome.claim())) {
                deferred.add(outcome);
            }
        }
        return new WriteResult(lost, deferred);
    }
}
