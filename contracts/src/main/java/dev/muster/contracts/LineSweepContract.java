package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.JobRate;
import dev.muster.job.LineLimit;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.LineStore;
import dev.muster.job.store.NewJob;
import dev.muster.job.store.Outcome;
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

/** What stands in line although it is due is found by a sweep, whoever has lost it, and nothing holds the sweep up. */
abstract class LineSweepContract extends JobStoreContract {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private LineStore lines() {
        return store().port(LineStore.class);
    }

    private static NewJob inLine(String line) {
        return JobDraft.named("mail").line(line).job();
    }

    private static List<NewJob> delayed(String key, int lines, Duration delay) {
        return IntStream.range(0, lines)
                .mapToObj(i -> JobDraft.named("mail")
                        .line("key/mail/" + key + i)
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

    private List<JobId> claim() {
        return claims("n").exchange(List.of(), 10_000).claimed().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    /** It has no timer for any of them. */
    @Test
    void oneSweepOfANewProcessAdmitsToAllLinesThatHaveBecomeDue() {
        List<JobId> due = store().jobs().enqueue(delayed("soon", 1_500, MINUTE));
        store().jobs().enqueue(delayed("later", 100, HOUR));
        advance(MINUTE);

        anotherNode().port(LineStore.class).sweep();

        assertThat(claim()).containsExactlyInAnyOrderElementsOf(due);
    }

    @Test
    void aSweepSaysWhenTheNextJobIsDueIfThatIsSoon() {
        store().jobs().enqueue(delayed("later", 1, HOUR));
        assertThat(lines().sweep().again()).isEmpty();
        store().jobs().enqueue(delayed("soon", 1, MINUTE.dividedBy(2)));
        assertThat(lines().sweep().again())
                .hasValueSatisfying(again -> assertThat(again).isLessThanOrEqualTo(MINUTE));
        advance(MINUTE);
        assertThat(lines().sweep().lanes()).containsExactly(DEFAULT);
    }

    @Test
    void aLineThatIsLockedHoldsUpNoOther() throws Exception {
        String locked = "key/mail/locked";
        Set<String> later = new ConcurrentSkipListSet<>();
        lines().onLater((line, delay, alone) -> {
            if (alone) {
                later.add(line);
            }
        });
        JobId first = enqueue(inLine(locked));
        ClaimedJob claimed = claimOne("n", LEASE);
        assertThat(claimed.id()).isEqualTo(first);
        write(new Outcome.Completed(claimed.claim(), null));
        advance(Duration.ofDays(2));
        List<NewJob> jobs = new ArrayList<>(List.of(inLine(locked)));
        IntStream.range(0, 300).forEach(i -> jobs.add(inLine("key/mail/" + i)));
        List<JobId> ids = leftOver(jobs);
        // Whoever forgets lines locks them until its transaction ends, and leaves those that have jobs.
        try (Connection connection = transaction()) {
            lines().forget(connection);

            lines().sweep();

            assertThat(claim()).containsExactlyInAnyOrderElementsOf(ids.subList(1, ids.size()));
            assertThat(later).containsExactly(locked);
        }
        lines().admit(Set.of(locked));
        assertThat(claim()).containsExactly(ids.get(0));
    }

    /** Each place that the search has reached is the beginning of its next stretch. */
    @Test
    void aJobBehindManyWhosePlacesAreTakenIsFound() throws SQLException {
        lines().publish(Map.of("mail", new LineLimit(1, "", false, null)), Set.of());
        store().jobs()
                .enqueue(IntStream.range(0, 6_000)
                        .mapToObj(i -> inLine("key/mail/busy"))
                        .toList());
        assertThat(claim()).hasSize(1);
        JobId last = leftOver(List.of(inLine("key/mail/last"))).get(0);
        advance(MINUTE);

        anotherNode().port(LineStore.class).sweepAll();

        assertThat(claim()).containsExactly(last);
    }

    /** Timers for the rates of lines were set by the clock that was. */
    @Test
    void afterTheClockWasSetEverythingIsLookedAt() {
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(1, HOUR))), Set.of());
        store().jobs().enqueue(List.of(inLine("name/mail"), inLine("name/mail")));
        assertThat(claim()).hasSize(1);
        advance(MINUTE);
        lines().sweep();
        advance(HOUR);

        lines().sweep();

        assertThat(claim()).hasSize(1);
    }
}
