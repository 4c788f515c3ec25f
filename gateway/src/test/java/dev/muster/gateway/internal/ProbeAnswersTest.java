package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cluster.NodeStatus;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.health.Probes;
import dev.muster.health.Readiness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a probe is told while the look at the database takes long. */
class ProbeAnswersTest {
    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofMinutes(5);

    private volatile CountDownLatch database = new CountDownLatch(0);
    private volatile NodeStatus status = NodeStatus.ACTIVE;

    private ProbeAnswers answers(Duration patience) {
        return new ProbeAnswers(new Probes(this::look, "1", null), SOON, patience);
    }

    private Readiness look() {
        try {
            boolean answers = database.await(2, TimeUnit.MINUTES);
            return new Readiness(answers, true, status, Map.of(), Optional.empty());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void hang() {
        database = new CountDownLatch(1);
    }

    @Test
    void theAnswerBeforeHoldsForAMoment() {
        ProbeAnswers answers = answers(LONG);
        assertThat(answers.ready().status()).isEqualTo(200);
        hang();

        assertThat(answers.ready().status()).isEqualTo(200);

        status = NodeStatus.DRAINING;
        database.countDown();
        await().until(() -> answers.ready().status() == 503);
        hang();
        assertThat(answers.ready().status()).as("what was not ready before").isEqualTo(503);
        database.countDown();
    }

    @Test
    void aLookThatTakesTooLongIsA503() {
        ProbeAnswers answers = answers(Duration.ZERO.plusMillis(1));
        await("the first look, which may take longer here")
                .until(() -> answers.ready().status() == 200);
        hang();

        assertThat(answers.ready().status()).isEqualTo(503);

        database.countDown();
        await().until(() -> answers.ready().status() == 200);
    }

    /** Each of them has a thread of the server, and anybody may probe. */
    @Test
    void onlySoManyWaitForALook() throws Exception {
        ProbeAnswers answers = new ProbeAnswers(new Probes(this::look, "1", null), LONG, LONG);
        assertThat(answers.ready().status()).isEqualTo(200);
        hang();
        status = NodeStatus.DRAINING;
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ProbeAnswers.MOST_WAITING; i++) {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            waiting.add(answer);
            threads.add(new Thread(() -> answer.complete(answers.ready())));
        }
        threads.forEach(Thread::start);
        await().until(() -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));

        CompletableFuture<Answer> beyond = new CompletableFuture<>();
        new Thread(() -> beyond.complete(answers.ready())).start();
        await("the answer of the look before").until(beyond::isDone);
        assertThat(beyond.join().status()).isEqualTo(200);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);

        database.countDown();
        for (CompletableFuture<Answer> answer : waiting) {
            assertThat(answer.get().status()).isEqualTo(503);
        }
    }
}
