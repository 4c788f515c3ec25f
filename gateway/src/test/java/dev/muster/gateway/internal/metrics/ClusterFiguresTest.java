package dev.muster.gateway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterFiguresTest {
    private static final Duration LONG = Duration.ofMinutes(1);
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

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final AtomicInteger asked = new AtomicInteger();

    private ClusterFigures figures(Supplier<List<QueueInfo>> queues, Duration patience) {
        Supplier<List<QueueInfo>> counted = () -> {
            asked.incrementAndGet();
            return queues.get();
        };
        return new ClusterFigures(counted, List::of, patience, now::get);
    }

    private static ParsedMetrics scrape(ClusterFigures figures) {
        Samples samples = new Samples();
        figures.write(samples);
        return ParsedMetrics.of(samples.text());
    }

    @Test
    void writesWhatTheDatabaseSays() {
        ParsedMetrics parsed = scrape(figures(() -> List.of(MAIL, QueueInfo.empty("idle")), LONG));

        assertThat(parsed.value("muster_database_up")).isEqualTo(1);
        assertThat(parsed.value("muster_queue_jobs", "queue", "mail", "status", "waiting"))
                .isEqualTo(1);
        assertThat(parsed.value("muster_queue_jobs", "queue", "mail", "status", "pending"))
                .isEqualTo(2);
        assertThat(parsed.value("muster_queue_jobs", "queue", "mail", "status", "claimed"))
                .isEqualTo(3);
        assertThat(parsed.value("muster_queue_jobs", "queue", "mail", "status", "running"))
                .isEqualTo(4);
        assertThat(parsed.value("muster_queue_paused", "queue", "mail")).isEqualTo(1);
        assertThat(parsed.value("muster_queue_paused", "queue", "idle")).isZero();
        assertThat(parsed.value("muster_queue_oldest_due_timestamp_seconds", "queue", "mail"))
                .isEqualTo(1.5);
        assertThat(parsed.value("muster_nodes", "status", "dead")).isZero();
    }

    @Test
    void scrapesWithinTenSecondsShareOneReading() {
        ClusterFigures figures = figures(() -> List.of(MAIL), LONG);
        scrape(figures);
        now.addAndGet(ClusterFigures.FRESH.toNanos() - 1);
        scrape(figures);
        assertThat(asked).hasValue(1);

        now.addAndGet(1);
        scrape(figures);

        assertThat(asked).hasValue(2);
    }

    @Test
    void aDatabaseThatFailsIsDownAndNotAskedAgainAtOnce() {
        ClusterFigures figures = figures(
                () -> {
                    throw new DatabaseUnavailable("gone", new IllegalStateException());
                },
                LONG);

        ParsedMetrics parsed = scrape(figures);

        assertThat(parsed.value("muster_database_up")).isZero();
        assertThat(parsed.has("muster_queue_jobs")).isFalse();
        assertThat(parsed.has("muster_nodes")).isFalse();
        scrape(figures);
        assertThat(asked).hasValue(1);
    }

    @Test
    void aDatabaseThatHangsIsDownAndAskedOnce() {
        CountDownLatch answer = new CountDownLatch(1);
        ClusterFigures figures = figures(
                () -> {
                    try {
                        answer.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return List.of(MAIL);
                },
                Duration.ofMillis(1));
        assertThat(scrape(figures).value("muster_database_up")).isZero();
        now.addAndGet(ClusterFigures.FRESH.toNanos() * 2);
        assertThat(scrape(figures).value("muster_database_up")).isZero();

        answer.countDown();

        await().until(() -> scrape(figures).value("muster_database_up") == 1);
        assertThat(asked).hasValue(1);
    }

    @Test
    void thereAreAtMostAThousandQueues() {
        List<QueueInfo> many = IntStream.range(0, 1_200)
                .mapToObj(i -> QueueInfo.empty("q" + i))
                .toList();

        ParsedMetrics parsed = scrape(figures(() -> many, LONG));

        assertThat(parsed.samples().keySet().stream()
                        .filter(series -> series.name().equals("muster_queue_paused")))
                .hasSize(JobTable.MOST);
    }
}
