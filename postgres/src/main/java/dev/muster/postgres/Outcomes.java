package dev.muster.postgres;

import dev.muster.job.ClaimRef;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.Outcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A batch of outcomes, split into those that end a job and those that put it back. Sorted by id, so that batches lock in one order. */
final class Outcomes {
    private static final Comparator<Outcome> BY_ID =
            Comparator.comparing(o -> o.claim().id());

    private final List<Outcome> ending = new ArrayList<>();
    private final List<Outcome> returning = new ArrayList<>();

    Outcomes(List<Outcome> outcomes) {
        for (Outcome outcome : outcomes) {
            boolean back = outcome instanceof Outcome.Retried
                    || outcome instanceof Outcome.Snoozed
                    || outcome instanceof Outcome.Released;
            (back ? returning : ending).add(outcome);
        }
        ending.sort(BY_ID);
        returning.sort(BY_ID);
    }

    boolean hasEnding() {
        return !ending.isEmpty();
    }

    boolean hasReturning() {
        return !returning.isEmpty();
    }

    /** Binds {@code jobs/finish.sql}. */
    void bindEnding(Params params) throws SQLException {
        params.claims(ending.stream().map(Outcome::claim).toList())
                .column("text", ending, Outcomes::status)
                .column("text", ending, o -> o instanceof Outcome.Completed c ? c.result() : null)
                .column("text", ending, Outcomes::error)
                .column("int8", ending, Outcomes::ranMillis);
    }

    /** Binds {@code jobs/hand_back.sql}. */
    void bindReturning(Params params) throws SQLException {
        params.claims(returning.stream().map(Outcome::claim).toList())
                .column("int8", returning, o -> millis(delay(o)))
                .column("bool", returning, o -> o instanceof Outcome.Retried)
                .column("text", returning, Outcomes::error);
    }

    private static String status(Outcome outcome) {
        if (outcome instanceof Outcome.Completed) {
            return "completed";
        }
        return outcome instanceof Outcome.Cancelled ? "cancelled" : "failed";
    }

    private static @Nullable Duration delay(Outcome outcome) {
        if (outcome instanceof Outcome.Retried retried) {
            return retried.delay();
        }
        return outcome instanceof Outcome.Snoozed snoozed ? snoozed.delay() : null;
    }

    private static @Nullable Object ranMillis(Outcome outcome) {
        if (outcome instanceof Outcome.Completed completed) {
            return millis(completed.ran());
        }
        return outcome instanceof Outcome.Failed failed ? millis(failed.ran()) : null;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    private static @Nullable String error(Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return failed.error();
        }
        if (outcome instanceof Outcome.Retried retried) {
            return retried.error();
        }
        if (outcome instanceof Outcome.Snoozed snoozed) {
            return snoozed.error();
        }
        return outcome instanceof Outcome.Cancelled cancelled ? cancelled.reason() : null;
    }

    /** What the database accepted. */
    static final class Accepted {
        final Set<ClaimRef> claims = new HashSet<>();
        final Set<Lane> returnedLanes = new HashSet<>();
        final List<Outcome> deferred = new ArrayList<>();

        void add(Accepted more) {
            claims.addAll(more.claims);
            returnedLanes.addAll(more.returnedLanes);
        }

        void readEnding(ResultSet rows) throws SQLException {
            while (rows.next()) {
                claims.add(claim(rows));
            }
        }

        void readReturning(ResultSet rows) throws SQLException {
            while (rows.next()) {
                claims.add(claim(rows));
                if (rows.getString(3) != null) {
                    returnedLanes.add(new Lane(rows.getString(3), rows.getString(4)));
                }
            }
        }
    }

    static ClaimRef claim(ResultSet rows) throws SQLException {
        return new ClaimRef(new JobId(rows.getObject(1, UUID.class)), rows.getLong(2));
    }
}
