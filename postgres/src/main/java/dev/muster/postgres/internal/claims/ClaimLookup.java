package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore.Renewal;
import dev.muster.internal.job.store.EnginePhrase;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Asks which claims are still held, and which of them have ended with an outcome that was accepted. */
final class ClaimLookup {
    private final Database database;

    ClaimLookup(Database database) {
        this.database = database;
    }

    Renewal inspect(Collection<ClaimRef> claims) {
        List<ClaimRef> sorted = sorted(claims);
        return database.inTransactionOrSpare(connection -> {
            Set<ClaimRef> held = new HashSet<>();
            Set<ClaimRef> cancelled = new HashSet<>();
            held(connection, sorted, held, cancelled);
            return new Renewal(new HashSet<>(without(sorted, held)), cancelled, Set.of());
        });
    }

    /** Claims that are neither current nor merely locked. */
    Set<ClaimRef> lost(Connection connection, List<ClaimRef> unconfirmed) throws SQLException {
        if (unconfirmed.isEmpty()) {
            return Set.of();
        }
        Set<ClaimRef> held = new HashSet<>();
        held(connection, unconfirmed, held, new HashSet<>());
        return new HashSet<>(without(unconfirmed, held));
    }

    private void held(Connection connection, List<ClaimRef> claims, Set<ClaimRef> held, Set<ClaimRef> cancelled)
            throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/current_claims"))) {
            new Params(statement).claims(claims);
            readHeld(statement.executeQuery(), held, cancelled);
        }
    }

    static void readHeld(ResultSet rows, Set<ClaimRef> held, Set<ClaimRef> cancelled) throws SQLException {
        while (rows.next()) {
            ClaimRef claim = Outcomes.claim(rows);
            held.add(claim);
            if (rows.getBoolean(3)) {
                cancelled.add(claim);
            }
        }
    }

    static List<ClaimRef> sorted(Collection<ClaimRef> claims) {
        return claims.stream().sorted((a, b) -> a.id().compareTo(b.id())).toList();
    }

    static List<ClaimRef> without(List<ClaimRef> claims, Set<ClaimRef> some) {
        return claims.stream().filter(c -> !some.contains(c)).toList();
    }

    /** How a claim is recorded in history. */
    record Ended(JobStatus status, @Nullable String error) {

        /**
         * Whether this is what the outcome leaves in history. If not, the claim was taken back, and its job has ended because of
         * too many crashes or because it was asked to cancel.
         */
        boolean isOf(Outcome outcome) {
            if (outcome instanceof Outcome.Completed) {
                return status == JobStatus.COMPLETED;
            }
            if (outcome instanceof Outcome.Failed failed) {
                return status == JobStatus.FAILED && (failed.error().equals(error) || isRefusal());
            }
            if (outcome instanceof Outcome.Cancelled cancelled) {
                return status == JobStatus.CANCELLED && cancelled.reason().equals(error) || isRefusal();
            }
            if (outcome instanceof Outcome.OfFeature) {
                return isRefusal() || status != JobStatus.FAILED && !wasTakenBack();
            }
            return status == JobStatus.CANCELLED && !wasTakenBack() || isRefusal();
        }

        private boolean isRefusal() {
            return status == JobStatus.FAILED && error != null && error.startsWith(OutcomeWriter.REFUSED);
        }

        private boolean wasTakenBack() {
            return error != null && EnginePhrase.CANCELLED_WITH_NODE.begins(error);
        }
    }

    /** Those of these claims that are in history. */
    Map<ClaimRef, Ended> ended(Collection<ClaimRef> claims) {
        return database.inTransactionOrSpare(connection -> ended(connection, claims));
    }

    Map<ClaimRef, Ended> ended(Connection connection, Collection<ClaimRef> claims) throws SQLException {
        Map<ClaimRef, Ended> found = new HashMap<>();
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/accepted_earlier"))) {
            new Params(statement).claims(sorted(claims));
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                found.put(Outcomes.claim(rows), new Ended(JobStatus.stored(rows.getString(3)), rows.getString(4)));
            }
        }
        return found;
    }
}
