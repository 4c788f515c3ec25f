package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobId;
import dev.muster.job.JobRate;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What waits for admission although it is due is found by a sweep, whoever has lost it, and nothing holds the sweep up. */
abstract class AdmissionSweepContract extends AdmissionContract {
    private static final Duration HOUR = Duration.ofHours(1);

    private static List<NewJob> delayed(String key, int admission, Duration delay) {
        return IntStream.range(0, admission)
                .mapToObj(i -> JobDraft.named("mail")
                        .group("key/mail/" + key + i)
                        .delay(delay)
                        .job())
                .toList();
    }

    /** In a caller's transaction, after which nobody admits. */
    private List<JobId> leftOver(List<NewJob> jobs) throws SQLException {
        try (Connection connection = transaction()) {
            List<JobId> ids = store().jobs().enqueue(connection, jobs);
            connection.commit();
            return ids;
        }
    }

    private List<JobId> claimAll() {
        return claims("n").exchange(List.of(), 10_000).claimed().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    /** It has no timer for any of them. */
    @Test
    void oneSweepOfANewProcessAdmitsToAllGroupsThatHaveBecomeDue() {
        List<JobId> due = store().jobs().enqueue(delayed("soon", 1_500, MINUTE));
        store().jobs().enqueue(delayed("later", 100, HOUR));
        advance(MINUTE);

        anotherNode().port(AdmissionStore.class).sweep();

        assertThat(claimAll()).containsExactlyInAnyOrderElementsOf(due);
    }

    @Test
    void aSweepSaysWhenTheNextJobIsDueIfThatIsSoon() {
        store().jobs().enqueue(delayed("later", 1, HOUR));
        assertThat(admission().sweep().again()).isEmpty();
        store().jobs().enqueue(delayed("soon", 1, MINUTE.dividedBy(2)));
        assertThat(admission().sweep().again())
                .hasValueSatisfying(again -> assertThat(again).isLessThanOrEqualTo(MINUTE));
        advance(MINUTE);
        assertThat(admission().sweep().lanes()).containsExactly(DEFAULT);
    }

    @Test
    void aGroupThatIsLockedHoldsUpNoOther() throws Exception {
        String locked = "key/mail/locked";
        Set<String> later = new ConcurrentSkipListSet<>();
        admission().onLater((group, delay, alone) -> {
            if (alone) {
                later.add(group);
            }
        });
        JobId first = enqueue(inGroup(locked));
        ClaimedJob claimed = claimOne("n", LEASE);
        assertThat(claimed.id()).isEqualTo(first);
        write(new Outcome.Completed(claimed.claim(), null));
        advance(Duration.ofDays(2));
        List<NewJob> jobs = new ArrayList<>(List.of(inGroup(locked)));
        IntStream.range(0, 300).forEach(i -> jobs.add(inGroup("key/mail/" + i)));
        List<JobId> ids = leftOver(jobs);
        // Whoever forgets admission locks them until its transaction ends, and leaves those that have jobs.
        try (Connection connection = transaction()) {
            admission().forget(connection);

            admission().sweep();

            assertThat(claimAll()).containsExactlyInAnyOrderElementsOf(ids.subList(1, ids.size()));
            assertThat(later).containsExactly(locked);
        }
        admission().admit(Set.of(locked));
        assertThat(claimAll()).containsExactly(ids.get(0));
    }

    /** Each place that the search has reached is the beginning of its next stretch. */
    @Test
    void aJobBehindManyWhosePlacesAreTakenIsFound() throws SQLException {
        admission().publish(Map.of("mail", new ConcurrencyLimit(1, "", false, null)), Set.of());
        store().jobs()
                .enqueue(IntStream.range(0, 6_000)
                        .mapToObj(i -> inGroup("key/mail/busy"))
                        .toList());
        assertThat(claimAll()).hasSize(1);
        JobId last = leftOver(List.of(inGroup("key/mail/last"))).get(0);
        advance(MINUTE);

        anotherNode().port(AdmissionStore.class).sweepAll();

        assertThat(claimAll()).containsExactly(last);
    }

    /** Timers for the rates of admission were set by the clock that was. */
    @Test
    void afterTheClockWasSetEverythingIsLookedAt() {
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(1, HOUR))), Set.of());
        store().jobs().enqueue(List.of(inGroup("name/mail"), inGroup("name/mail")));
        assertThat(claimAll()).hasSize(1);
        advance(MINUTE);
        admission().sweep();
        advance(HOUR);

        admission().sweep();

        assertThat(claimAll()).hasSize(1);
    }
}
