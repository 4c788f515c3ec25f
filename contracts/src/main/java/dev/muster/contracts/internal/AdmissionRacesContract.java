package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs that are committed late, and nodes that admit at the same time: no place is given twice, and no job is passed or lost. */
abstract class AdmissionRacesContract extends AdmissionContract {
    /** In a caller's transaction nobody is admitted; the sweep does it if nobody else does. */
    @Test
    void jobsOfACallersTransactionAreAdmittedAfterItsCommitAndHoldUpNobody() throws Exception {
        limit(2);
        try (Connection connection = transaction()) {
            JobId open =
                    store().jobs().enqueue(connection, List.of(inGroup(GROUP))).get(0);
            JobId other = enqueue(GROUP, 1).get(0);
            assertThat(ids(claim())).as("an open transaction delays nobody").containsExactly(other);
            connection.commit();
            assertThat(claim()).isEmpty();
            assertThat(admission().sweep().lanes()).containsExactly(DEFAULT);
            assertThat(ids(claim())).containsExactly(open);
        }
    }

    @Test
    void aJobThatIsCommittedLateIsFoundByTheSweepAtLast() throws Exception {
        try (Connection connection = transaction()) {
            JobId late =
                    store().jobs().enqueue(connection, List.of(inGroup(GROUP))).get(0);
            for (int minute = 0; minute < 5; minute++) {
                JobId id = enqueue(GROUP, 1).get(0);
                ClaimedJob job = claim().get(0);
                assertThat(job.id()).isEqualTo(id);
                complete(job);
                advance(MINUTE);
            }
            connection.commit();
            admission().sweep();
            assertThat(ids(claim())).containsExactly(late);
        }
    }

    /** The sweep meets a group all of whose places are taken: whoever frees one admits the job that it has found. */
    @Test
    void aJobThatIsCommittedLateWaitsForItsTurnAndNoLonger() throws Exception {
        try (Connection connection = transaction()) {
            JobId late =
                    store().jobs().enqueue(connection, List.of(inGroup(GROUP))).get(0);
            for (int minute = 0; minute < 5; minute++) {
                enqueue(GROUP, 1);
                complete(claim().get(0));
                advance(MINUTE);
            }
            enqueue(GROUP, 2);
            ClaimedJob running = claim().get(0);
            connection.commit();
            admission().sweep();
            assertThat(claim()).isEmpty();
            complete(running);
            assertThat(ids(claim())).containsExactly(late);
        }
    }

    /** Its floors must not pass a job that was put into its group before and is committed later: it would be overtaken for good. */
    @Test
    void anOrderedGroupNeverPassesAJobThatIsCommittedLate() throws Exception {
        try (Connection connection = transaction()) {
            JobId late =
                    store().jobs().enqueue(connection, List.of(inGroup(FIFO))).get(0);
            for (int minute = 0; minute < 5; minute++) {
                enqueue(FIFO, 1);
                complete(claim().get(0));
                advance(MINUTE);
            }
            connection.commit();
            enqueue(FIFO, 1);
            assertThat(ids(claim())).containsExactly(late);
        }
    }

    /** Floors that were proposed while its transaction was open come into force while it still waits for admission. */
    @Test
    void aJobThatIsCommittedBetweenTwoLooksAtTheFloorsIsNeitherPassedNorLost() throws Exception {
        limit(1);
        for (String group : List.of(FIFO, GROUP)) {
            enqueue(group, 1);
            ClaimedJob first = claim().get(0);
            JobId late;
            JobId overlapping;
            try (Connection connection = transaction()) {
                late = store().jobs()
                        .enqueue(connection, List.of(inGroup(group)))
                        .get(0);
                advance(Duration.ofSeconds(2));
                overlapping = enqueue(group, 1).get(0);
                connection.commit();
            }
            advance(Duration.ofSeconds(2));
            JobId last = enqueue(group, 1).get(0);
            complete(first);
            for (JobId id : List.of(late, overlapping, last)) {
                List<ClaimedJob> claimed = claim();
                assertThat(ids(claimed)).as(group).containsExactly(id);
                complete(claimed.get(0));
            }
        }
    }

    @Test
    void anAdmissionThatFindsTheGroupLockedIsLeftForLater() throws Exception {
        Map<String, Duration> later = laterGroups();
        limit(2);
        enqueue(GROUP, 1);
        try (Connection connection = transaction()) {
            lockGroup(connection);
            JobId id = enqueue(GROUP, 1).get(0);
            assertThat(find(id).status()).as("enqueued all the same").isEqualTo(JobStatus.WAITING);
            assertThat(later).containsKey(GROUP);
        }
        assertThat(admission().admit(Set.of(GROUP))).containsExactly(DEFAULT);
    }

    @Test
    void manyAdmittersNeverAdmitMoreThanTheLimitAndLeaveNothingOver() throws Exception {
        limit(3);
        int jobs = 60;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<Store> stores = List.of(store(), anotherNode(), anotherNode(), anotherNode());
        inParallel(4, node -> {
            Store own = stores.get(node);
            ClaimSession session =
                    own.claims().openClaims(new ClaimFilter("n" + node, null, Set.of("general"), null, LEASE));
            for (int i = 0; i < jobs / 4; i++) {
                own.jobs().enqueue(List.of(inGroup(GROUP)));
            }
            List<Outcome> outcomes = List.of();
            while (done.get() < jobs) {
                running.addAndGet(-outcomes.size());
                List<ClaimedJob> claimed = session.exchange(outcomes, 5).claimed();
                if (!outcomes.isEmpty()) {
                    done.addAndGet(outcomes.size());
                    own.claims().admit(Set.of(GROUP));
                }
                most.accumulateAndGet(running.addAndGet(claimed.size()), Math::max);
                outcomes = claimed.stream()
                        .map(job -> (Outcome) new Outcome.Completed(job.claim(), null))
                        .toList();
                session.wake(Set.of());
            }
            return null;
        });
        assertThat(most).hasValueLessThanOrEqualTo(3);
        assertThat(claim()).isEmpty();
    }

    /** The port has no method that keeps a group locked: whoever forgets admission locks them until its transaction ends. */
    private void lockGroup(Connection connection) throws Exception {
        advance(Duration.ofDays(2));
        admission().forget(connection);
    }
}
