package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.Durations;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.ClaimLookup.Ended;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.StatementPart;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A chunk of outcomes, split into those that end a job, those that make it pending again, and those of features. Each group is
 * sorted by id, so that all chunks lock rows in the same order.
 */
public final class Outcomes {
    private static final Comparator<Outcome> BY_ID =
            Comparator.comparing(o -> o.claim().id());

    private final List<Outcome> ending = new ArrayList<>();
    private final List<Outcome> returning = new ArrayList<>();
    private final List<Outcome> reporting = new ArrayList<>();

    /** By the feature that writes them. Plain jobs have none of these. */
    private Map<FeatureOutcomes, List<Outcome.OfFeature>> ofFeatures = Map.of();

    /** The outcomes that no feature writes; their jobs fail with this error. */
    private Map<ClaimRef, String> refused = Map.of();

    /** Outcomes of plain jobs. */
    public Outcomes(List<Outcome> outcomes) {
        this(outcomes, List.of());
    }

    Outcomes(List<Outcome> outcomes, List<FeatureOutcomes> features) {
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Completed
                    || outcome instanceof Outcome.Failed
                    || outcome instanceof Outcome.Cancelled) {
                ending.add(outcome);
            } else if (outcome instanceof Outcome.OfFeature ofFeature) {
                add(ofFeature, features);
            } else {
                returning.add(outcome);
            }
            if (outcome.progress() != null) {
                reporting.add(outcome);
            }
        }
        ending.sort(BY_ID);
        returning.sort(BY_ID);
        reporting.sort(BY_ID);
        ofFeatures.values().forEach(list -> list.sort(BY_ID));
    }

    private void add(Outcome.OfFeature outcome, List<FeatureOutcomes> features) {
        for (FeatureOutcomes feature : features) {
            if (feature.takes(outcome)) {
                if (ofFeatures.isEmpty()) {
                    ofFeatures = new LinkedHashMap<>();
                }
                ofFeatures.computeIfAbsent(feature, f -> new ArrayList<>()).add(outcome);
                return;
            }
        }
        // An exception would be thrown again for the same chunk, and keep all other outcomes in it from being written.
        String error = "this store has no statement for the outcome "
                + outcome.getClass().getSimpleName() + " of the job";
        if (refused.isEmpty()) {
            refused = new HashMap<>();
        }
        refused.put(outcome.claim(), error);
        ending.add(new Outcome.Failed(outcome.claim(), error));
    }

    /** The statements of features that have outcomes in this chunk. */
    List<StatementPart> featureParts(Answer answer) {
        if (ofFeatures.isEmpty()) {
            return List.of();
        }
        List<StatementPart> parts = new ArrayList<>();
        ofFeatures.forEach((feature, outcomes) -> {
            List<StatementPart> own = feature.parts(List.copyOf(outcomes), answer);
            StatementPart first = own.get(0);
            parts.add(new StatementPart(first.sql(), first.bind(), statement -> {
                answer.expect(outcomes);
                first.read().from(statement);
            }));
            parts.addAll(own.subList(1, own.size()));
        });
        return parts;
    }

    boolean hasEnding() {
        return !ending.isEmpty();
    }

    /** The outcomes that end a job, sorted by id. */
    List<Outcome> ending() {
        return ending;
    }

    boolean hasReturning() {
        return !returning.isEmpty();
    }

    /** Whether an outcome includes the last progress of its handler. */
    public boolean hasProgress() {
        return !reporting.isEmpty();
    }

    /** The claims whose outcome includes the last progress of the handler, sorted by id. */
    List<ClaimRef> reporting() {
        return reporting.stream().map(Outcome::claim).toList();
    }

    /** Binds {@code jobs/last_progress.sql}. */
    public void bindProgress(Params params) throws SQLException {
        params.claims(reporting())
                .column("int2", reporting, o -> o.progress().percent())
                .column("text", reporting, o -> o.progress().message().orElse(null));
    }

    /** Binds {@code jobs/finish.sql}, and what follows the ctids in {@code jobs/finish_by_ctid.sql}. */
    public void bindEnding(Params params) throws SQLException {
        params.claims(ending.stream().map(Outcome::claim).toList())
                .column("text", ending, Outcomes::status)
                .column("text", ending, o -> o instanceof Outcome.Completed c ? c.result() : null)
                .column("text", ending, Outcomes::error)
                .column("int8", ending, Outcomes::ranMillis);
    }

    /** Binds {@code jobs/requeue.sql}. */
    public void bindReturning(Params params) throws SQLException {
        params.claims(returning.stream().map(Outcome::claim).toList())
                .column("int8", returning, o -> millis(delay(o)))
                .column("bool", returning, o -> o instanceof Outcome.Retried)
                .column("text", returning, Outcomes::error)
                .column("int8", returning, Outcomes::ranMillis);
    }

    /** The job's status; null means completed. */
    private static @Nullable String status(Outcome outcome) {
        if (outcome instanceof Outcome.Completed) {
            return null;
        }
        return (outcome instanceof Outcome.Cancelled ? JobStatus.CANCELLED : JobStatus.FAILED).text();
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
        if (outcome instanceof Outcome.Failed failed) {
            return millis(failed.ran());
        }
        if (outcome instanceof Outcome.Retried retried) {
            return millis(retried.ran());
        }
        if (outcome instanceof Outcome.Snoozed snoozed) {
            return millis(snoozed.ran());
        }
        return outcome instanceof Outcome.Released released ? millis(released.ran()) : null;
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

    /** The database's answer to the outcomes. */
    final class Answer implements FeatureOutcomes.Answer {
        private final Set<ClaimRef> unconfirmed = new HashSet<>();
        private final Set<Lane> returnedLanes = new HashSet<>();
        private final Map<Lane, Duration> returnedLater = new HashMap<>();
        private final List<ClaimRef> cancelled = new ArrayList<>(0);

        private void expect(List<Outcome.OfFeature> outcomes) {
            outcomes.forEach(outcome -> unconfirmed.add(outcome.claim()));
        }

        @Override
        public void written(ClaimRef claim) {
            unconfirmed.remove(claim);
        }

        @Override
        public void cancelled(ClaimRef claim) {
            cancelled.add(claim);
        }

        @Override
        public void pendingAgain(Lane lane, Duration delay) {
            if (delay.isZero() || delay.isNegative()) {
                returnedLanes.add(lane);
            } else {
                returnedLater.merge(lane, delay, Durations::shorter);
            }
        }

        /** @param rows how many claims {@code jobs/finish.sql} ended */
        void ended(int rows) {
            if (rows != ending.size()) {
                // The statement does not return which ones: in this rare case it is cheaper to look them up in history.
                ending.forEach(outcome -> unconfirmed.add(outcome.claim()));
            }
        }

        private Map<ClaimRef, String> refused() {
            return refused;
        }

        void returned(ResultSet rows) throws SQLException {
            Set<ClaimRef> found = new HashSet<>();
            while (rows.next()) {
                ClaimRef claim = claim(rows);
                found.add(claim);
                if (rows.getString(3) == null) {
                    cancelled.add(claim);
                } else if (!rows.getBoolean(6)) {
                    pendingAgain(new Lane(rows.getString(3), rows.getString(4)), Duration.ofMillis(rows.getLong(5)));
                }
            }
            for (Outcome outcome : returning) {
                if (!found.contains(outcome.claim())) {
                    unconfirmed.add(outcome.claim());
                }
            }
        }
    }

    /** The results of all statements that wrote outcomes. */
    static final class Accepted {
        /** Claims whose outcome was not written now: it was accepted by an earlier call, or the claim is lost. */
        final Set<ClaimRef> unconfirmed = new HashSet<>();

        final Set<Lane> returnedLanes = new HashSet<>();
        final Map<Lane, Duration> returnedLater = new HashMap<>();
        final List<Outcome> deferred = new ArrayList<>();

        /** Claims that should have gone back, but whose job has ended as cancelled. */
        final Set<ClaimRef> cancelled = new HashSet<>();

        /** Claims that were written as failed instead, with the error. */
        final Map<ClaimRef, String> refused = new HashMap<>();

        void add(Answer answer) {
            unconfirmed.addAll(answer.unconfirmed);
            refused.putAll(answer.refused());
            cancelled.addAll(answer.cancelled);
            returnedLanes.addAll(answer.returnedLanes);
            answer.returnedLater.forEach((lane, delay) -> returnedLater.merge(lane, delay, Durations::shorter));
        }

        /** This outcome was accepted by an earlier call, and may have been stored as something else. */
        void endedEarlier(Outcome outcome, Ended ended) {
            if (ended.status() == JobStatus.FAILED && !(outcome instanceof Outcome.Failed)) {
                refused.put(outcome.claim(), String.valueOf(ended.error()));
            } else if (ended.status() == JobStatus.CANCELLED) {
                cancelled.add(outcome.claim());
            }
        }
    }

    public static ClaimRef claim(ResultSet rows) throws SQLException {
        return new ClaimRef(new JobId(rows.getObject(1, UUID.class)), rows.getLong(2));
    }
}
