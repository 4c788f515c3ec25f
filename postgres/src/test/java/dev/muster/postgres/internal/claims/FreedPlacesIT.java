package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Lane;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who on a node looks for the next job when one that had a place in a limited queue ends. */
class FreedPlacesIT extends OnFreshDatabase {
    private static final Lane SCARCE = new Lane("scarce", "");

    /** It moves only when the test says so, and by less than a second: else the server's clock would seem to have been set back. */
    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));

    private final HeldClaims held = new HeldClaims();
    private final AtomicInteger wokenOfA = new AtomicInteger();
    private final AtomicInteger wokenOfB = new AtomicInteger();

    private ClaimSession ofA;
    private ClaimSession ofB;

    @BeforeEach
    void prepare() {
        database.execute("INSERT INTO muster_queues (name, max_running) VALUES ('scarce', 1)");
        ofA = executor("a");
        ofB = executor("b");
        ofA.onFreedPlace(wokenOfA::incrementAndGet);
        ofB.onFreedPlace(wokenOfB::incrementAndGet);
    }

    private ClaimSession executor(String name) {
        return new ClaimSessions(
                new Database(database.dataSource(), new SqlFiles("public")),
                held,
                List.of(),
                new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5)).onlyNames(Set.of(name)),
                nanos::get);
    }

    private void enqueue(String name, String queue, int jobs) {
        List<NewJob> all = IntStream.range(0, jobs)
                .mapToObj(i -> JobDraft.named(name).lane(queue, "").job())
                .toList();
        database.store().jobs().enqueue(all);
    }

    private static Outcome completed(ClaimedJob job) {
        return new Outcome.Completed(job.claim(), null);
    }

    private ClaimedJob claimOne(ClaimSession session) {
        for (int i = 0; i < 5; i++) {
            List<ClaimedJob> claimed = session.exchange(List.of(), 1).claimed();
            if (!claimed.isEmpty()) {
                return claimed.get(0);
            }
            session.wake(Set.of());
        }
        throw new AssertionError("nothing was claimed");
    }

    /** Both executors know that the queue has a limit; one has all of its jobs. */
    private ClaimedJob aJobOfA() {
        enqueue("a", "scarce", 3);
        // The other one looks, and a probe tells it that there is nothing for it.
        for (int i = 0; i < 3; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(300));
            ofB.exchange(List.of(), 1);
        }
        return claimOne(ofA);
    }

    @Test
    void anExecutorWithoutJobsForAFreedPlaceIsLeftInPeaceAndNobodyIsNotified() {
        ClaimedJob job = aJobOfA();

        // An exchange of any executor writes the outcomes of all.
        assertThat(ofB.exchange(List.of(completed(job)), 0).returnedLater()).isEmpty();
        assertThat(wokenOfA).hasValue(1);
        assertThat(wokenOfB).hasValue(0);
        assertThat(ofB.exchange(List.of(), 1).returnedLater()).isEmpty();

        assertThat(ofA.exchange(List.of(), 1).claimed()).as("the next job").hasSize(1);
    }

    @Test
    void anExecutorWhoseThreadsAreBusyLeavesThePlaceToOtherNodes() {
        ClaimedJob job = aJobOfA();
        ofB.exchange(List.of(completed(job)), 0);

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(51));

        assertThat(ofB.exchange(List.of(), 1).returnedLater()).isEqualTo(Map.of(SCARCE, Duration.ZERO));
        assertThat(ofB.exchange(List.of(), 1).returnedLater()).as("once").isEmpty();
    }

    /** 65,536 claims of this node later its token has a slot in common with that of another job. */
    @Test
    void theEndOfALongJobIsNoticedHoweverManyJobsRanMeanwhile() {
        ClaimedJob job = aJobOfA();
        database.execute("SELECT setval('muster_job_token_seq', " + job.claim().token() + " + 65534)");
        enqueue("a", "default", 4);
        for (int i = 0; i < 4; i++) {
            ClaimedJob other = claimOne(ofA);
            assertThat(other.lane().queue()).isEqualTo("default");
        }

        assertThat(ofA.freedPlaces(List.of(completed(job)))).isEqualTo(1);
        assertThat(ofA.exchange(List.of(completed(job)), 1).claimed())
                .as("the next job of the queue, with the same exchange")
                .extracting(claimed -> claimed.lane().queue())
                .containsExactly("scarce");
    }
}
