package dev.muster.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.runtime.DatabaseUnavailable;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The figures of the cluster, and who asks for them when. */
class ClusterGaugesTest {
    private static final QueueInfo MAIL = new QueueInfo(
            "mail",
            Optional.of(Instant.EPOCH),
            1,
            2,
            3,
            4,
            Optional.of(Instant.ofEpochMilli(1_500)),
            QueueLimit.NONE,
            Set.of());

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger pings = new AtomicInteger();
    private final AtomicBoolean leads = new AtomicBoolean(true);
    private final AtomicBoolean reachable = new AtomicBoolean(true);
    private final AtomicBoolean gone = new AtomicBoolean();
    private ClusterGauges gauges;

    private void open(Supplier<List<QueueInfo>> queues) {
        Supplier<List<QueueInfo>> counted = () -> {
            asked.incrementAndGet();
            return queues.get();
        };
        BooleanSupplier ping = () -> {
            pings.incrementAndGet();
            return reachable.get();
        };
        gauges = new ClusterGauges(ping, counted, List::of, leads::get, gone::get, now::get);
        gauges.addTo(new Meters(registry, List.of()));
    }

    /** Reads the gauges as a registry does. */
    private double up() {
        return registry.get("muster.database.up").gauge().value();
    }

    private void readAgain() {
        now.addAndGet(ClusterGauges.FRESH.toNanos());
        up();
    }

    /** A reading begins only when the one before has ended, which is after it has changed the gauges. */
    private void readUntil(BooleanSupplier shown) {
        await().until(() -> {
            readAgain();
            return shown.getAsBoolean();
        });
    }

    private int queueGauges() {
        return registry.find("muster.queue.jobs").gauges().size();
    }

    private double jobs(String status) {
        return registry.get("muster.queue.jobs")
                .tags("queue", "mail", "status", status)
                .gauge()
                .value();
    }

    @Test
    void theLeaderShowsWhatTheDatabaseSays() {
        open(() -> List.of(MAIL, QueueInfo.empty("idle")));
        assertThat(asked).as("nobody has read the gauges yet").hasValue(0);
        up();

        await("the end of the reading, after which all gauges are there").until(() -> up() == 1);
        assertThat(queueGauges()).isEqualTo(8);
        assertThat(jobs("waiting")).isEqualTo(1);
        assertThat(jobs("pending")).isEqualTo(2);
        assertThat(jobs("claimed")).isEqualTo(3);
        assertThat(jobs("running")).isEqualTo(4);
        assertThat(registry.get("muster.queue.paused")
                        .tag("queue", "mail")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("muster.queue.oldest.due.timestamp")
                        .tag("queue", "mail")
                        .gauge()
                        .value())
                .isEqualTo(1.5);
        assertThat(registry.find("muster.queue.oldest.due.timestamp")
                        .tag("queue", "idle")
                        .gauge())
                .isNull();
        assertThat(registry.get("muster.nodes").tag("status", "dead").gauge().value())
                .isZero();
    }

    @Test
    void theDatabaseIsAskedAtMostEveryTenSeconds() {
        open(() -> List.of(MAIL));
        await().until(() -> up() == 1);
        up();
        assertThat(asked).hasValue(1);

        readAgain();

        await().until(() -> asked.get() == 2);
    }

    @Test
    void thereIsOneReadingAtATimeAndNobodyWaitsForIt() {
        CountDownLatch answer = new CountDownLatch(1);
        open(() -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of(MAIL);
        });
        up();
        await().until(() -> asked.get() == 1);
        readAgain();
        readAgain();
        assertThat(asked).hasValue(1);

        answer.countDown();

        await().until(() -> up() == 1);
    }

    @Test
    void aNodeThatDoesNotLeadAsksForNoQueuesAndShowsNone() {
        leads.set(false);
        open(() -> List.of(MAIL));
        await().until(() -> up() == 1);
        assertThat(asked).hasValue(0);
        assertThat(queueGauges()).isZero();

        leads.set(true);
        readUntil(() -> queueGauges() == 4);
        leads.set(false);

        readUntil(() ->
                queueGauges() == 0 && registry.find("muster.nodes").gauges().isEmpty());
    }

    @Test
    void whatCannotBeReadIsLeftOut() {
        AtomicBoolean broken = new AtomicBoolean();
        open(() -> {
            if (broken.get()) {
                throw new DatabaseUnavailable("gone", null);
            }
            return List.of(MAIL);
        });
        await().until(() -> up() == 1);
        broken.set(true);
        readAgain();
        await().until(() -> up() == 0 && queueGauges() == 0);
        broken.set(false);
        reachable.set(false);
        int asksBefore = asked.get();
        int pingsBefore = pings.get();
        readAgain();
        await().until(() -> pings.get() > pingsBefore);
        readAgain();
        assertThat(asked).as("a database that does not answer is asked no more").hasValue(asksBefore);
        reachable.set(true);
        await().until(() -> {
            readAgain();
            return up() == 1 && queueGauges() == 4;
        });
    }

    /** A database that answers when the test lets it. */
    private Supplier<List<QueueInfo>> waitingFor(CountDownLatch answer) {
        return () -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of(MAIL);
        };
    }

    @Test
    void beforeTheFirstReadingItIsNotKnownWhetherTheDatabaseAnswers() {
        CountDownLatch answer = new CountDownLatch(1);
        open(waitingFor(answer));

        assertThat(up()).isNaN();

        answer.countDown();
        await().until(() -> up() == 1);
    }

    @Test
    void aDatabaseThatHangsIsDown() {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicBoolean hangs = new AtomicBoolean();
        Supplier<List<QueueInfo>> waiting = waitingFor(answer);
        open(() -> hangs.get() ? waiting.get() : List.of(MAIL));
        await().until(() -> up() == 1);
        hangs.set(true);
        readAgain();
        await().until(() -> asked.get() == 2);
        assertThat(up()).as("the answer may still come").isEqualTo(1);

        now.addAndGet(ClusterGauges.PATIENCE.toNanos() + 1);

        assertThat(up()).isZero();
        answer.countDown();
        await().until(() -> up() == 1);
    }

    /** Its queues would be shown forever beside those of the next leader. */
    @Test
    void aNodeThatHasLeftShowsNothingOfTheCluster() {
        open(() -> List.of(MAIL));
        await().until(() -> up() == 1 && queueGauges() == 4);

        gone.set(true);
        readAgain();

        await().until(() -> queueGauges() == 0);
        assertThat(up()).isNaN();
    }

    @Test
    void aReadingThatEndsAfterTheGaugesWereClosedAddsNone() {
        CountDownLatch answer = new CountDownLatch(1);
        open(waitingFor(answer));
        up();
        await().until(() -> asked.get() == 1);

        gauges.close();
        answer.countDown();

        await().until(() -> up() == 1);
        assertThat(queueGauges()).isZero();
    }
}
