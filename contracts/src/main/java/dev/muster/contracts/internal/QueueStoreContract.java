package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.QueueStore;
import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A paused queue keeps its jobs from being claimed until it is resumed, and the list says what each queue holds. */
abstract class QueueStoreContract extends JobStoreContract {

    private QueueStore queues() {
        return store().queues();
    }

    private QueueInfo queue(String name) {
        return queues().list().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void nothingOfAPausedQueueIsClaimedAndAllOfTheOthersIs() {
        enqueue(JobDraft.named("a").lane("mail", "").job());
        enqueue(JobDraft.named("b").lane("reports", "").job());

        queues().pause("mail");

        assertThat(claims("n").exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::name)
                .containsExactly("b");
        assertThat(claims("n").exchange(List.of(), 10).pausedQueues()).containsExactly("mail");
    }

    /** A node reads now and then which queues are paused. What was paused since must be left alone, too. */
    @Test
    void nothingIsClaimedOfAQueueThatIsPausedBehindTheNodesBack() {
        ClaimSession node = claims("n");
        enqueue(JobDraft.named("a").lane("mail", "").job());
        assertThat(node.exchange(List.of(), 10).claimed()).hasSize(1);
        enqueue(JobDraft.named("b").lane("mail", "").job());

        queues().pause("mail");

        assertThat(node.exchange(List.of(), 10).claimed()).isEmpty();
        queues().resume("mail");
        await().until(() -> node.exchange(List.of(), 10).claimed().size() == 1);
    }

    @Test
    void aQueueCanBePausedBeforeItHasAJob() {
        queues().pause("mail");
        enqueue(JobDraft.named("a").lane("mail", "").job());

        assertThat(claims("n").exchange(List.of(), 10).claimed()).isEmpty();
        assertThat(queue("mail").pausedAt()).isPresent();
    }

    @Test
    void resumingReturnsTheLanesThatHaveJobsAndNodesClaimThem() {
        enqueue(JobDraft.named("a").lane("mail", "").job());
        enqueue(JobDraft.named("b").lane("mail", "general").job());
        enqueue(JobDraft.named("c").lane("reports", "").job());
        queues().pause("mail");

        assertThat(queues().resume("mail"))
                .containsExactlyInAnyOrder(new Lane("mail", ""), new Lane("mail", "general"));

        assertThat(queue("mail").pausedAt()).isEmpty();
        assertThat(claims("n").exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::name)
                .containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void resumingAQueueWithoutJobsOrOneThatRunsChangesNothing() {
        assertThat(queues().resume("nobody")).isEmpty();
        enqueue(JobDraft.named("a").lane("mail", "").job());
        assertThat(queues().resume("mail")).containsExactly(new Lane("mail", ""));
        assertThat(claims("n").exchange(List.of(), 10).claimed()).hasSize(1);
    }

    @Test
    void pausingTwiceKeepsTheTimeOfTheFirst() {
        queues().pause("mail");
        Instant first = queue("mail").pausedAt().orElseThrow();
        advance(Duration.ofMinutes(1));

        queues().pause("mail");

        assertThat(queue("mail").pausedAt()).contains(first);
    }

    @Test
    void aJobThatRunsContinuesWhileItsQueueIsPaused() {
        enqueue(JobDraft.named("a").lane("mail", "").job());
        ClaimedJob job = claimOne("n", LEASE);
        queues().pause("mail");

        store().claims().markRunning(List.of(new Start(job.claim(), 3, 5, 0)));

        assertThat(store().claims().renew(List.of(job.claim()), LEASE).lost()).isEmpty();
        assertThat(queue("mail").running()).isEqualTo(1);
    }

    @Test
    void theListCountsTheLiveJobsOfEachStatus() {
        var parent = enqueue(JobDraft.named("parent").lane("mail", "").job());
        ClaimedJob running = claimOne("n", LEASE);
        store().claims().markRunning(List.of(new Start(running.claim(), 3, 5, 0)));
        enqueue(JobDraft.named("held").lane("mail", "").job());
        claimOne("n", LEASE);
        enqueue(JobDraft.named("due").lane("mail", "").job());
        enqueue(JobDraft.named("later")
                .lane("mail", "")
                .delay(Duration.ofHours(1))
                .job());
        enqueue(JobDraft.named("child")
                .lane("mail", "")
                .dependsOn(List.of(parent))
                .job());
        enqueue(JobDraft.named("other").lane("reports", "").job());

        QueueInfo mail = queue("mail");

        assertThat(List.of(mail.waiting(), mail.pending(), mail.claimed(), mail.running()))
                .containsExactly(1L, 2L, 1L, 1L);
        assertThat(mail.oldestDue()).isPresent();
        assertThat(mail.atLeast()).isEmpty();
        assertThat(queues().list()).extracting(QueueInfo::name).containsExactly("mail", "reports");
    }
}
