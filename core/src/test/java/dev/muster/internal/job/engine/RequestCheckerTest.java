package dev.muster.internal.job.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.job.HandlerInfo;
import dev.muster.job.JobHandler;
import dev.muster.job.JobNotAllowed;
import dev.muster.job.JobOptions;
import dev.muster.job.JobRequest;
import dev.muster.job.Priority;
import dev.muster.job.Requester;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.NamePatterns;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often a process that enqueues asks which handlers there are. */
class RequestCheckerTest {
    private static final int THREADS = 16;

    private final AtomicInteger readings = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();
    private volatile CountDownLatch mayAnswer = new CountDownLatch(0);
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private static final JsonCodec NO_CODEC = (JsonCodec) Proxy.newProxyInstance(
            JsonCodec.class.getClassLoader(), new Class<?>[] {JsonCodec.class}, (proxy, method, args) -> {
                throw new UnsupportedOperationException();
            });

    private final RequestChecker checker = new RequestChecker(
            NO_CODEC,
            new Payloads(PayloadCipher.none()),
            new JobRegistry(List.of()),
            connection -> {
                readings.incrementAndGet();
                try {
                    mayAnswer.await(1, TimeUnit.MINUTES);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return Map.of(
                        "a", new HandlerInfo(new JobOptions("elsewhere", "", Priority.NORMAL, 3, 5, null), false));
            },
            TenantOptions.strict(),
            nanos::get,
            true);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private List<Future<String>> enqueueOnAllThreads(int calls) {
        List<Future<String>> queues = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            queues.add(threads.submit(
                    () -> checker.check(JobRequest.of("a"), true, null).lane().queue()));
        }
        return queues;
    }

    @Test
    void oneThreadAsksForAll() throws Exception {
        mayAnswer = new CountDownLatch(1);
        List<Future<String>> first = enqueueOnAllThreads(THREADS);
        mayAnswer.countDown();
        for (Future<String> queue : first) {
            assertThat(queue.get(1, TimeUnit.MINUTES)).isEqualTo("elsewhere");
        }
        assertThat(readings).hasValue(1);

        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        mayAnswer = new CountDownLatch(1);
        List<Future<String>> later = enqueueOnAllThreads(THREADS * 2 - 1);
        for (Future<String> queue : later.subList(THREADS, later.size())) {
            assertThat(queue.get(1, TimeUnit.MINUTES)).isEqualTo("elsewhere");
        }
        mayAnswer.countDown();
        for (Future<String> queue : later) {
            queue.get(1, TimeUnit.MINUTES);
        }
        assertThat(readings).hasValue(2);
    }

    /** What the nodes have published may be older than the handlers of this one. */
    @Test
    void aHandlerThatIsClosedHereIsClosedWhateverIsPublished() {
        Map<String, HandlerInfo> open = Map.of("a", new HandlerInfo(JobOptions.DEFAULTS, true));
        JobHandler closedHere = JobHandler.named("a").run((context, args) -> {});
        JobHandler openHere = JobHandler.named("b").run((context, args) -> {}).tenants(true);
        RequestChecker both = new RequestChecker(
                NO_CODEC,
                new Payloads(PayloadCipher.none()),
                new JobRegistry(List.of(closedHere, openHere)),
                connection -> open,
                TenantOptions.strict(),
                nanos::get,
                true);
        Requester tenant = new Requester(Optional.of("acme"), NamePatterns.ALL);

        assertThatThrownBy(() -> both.requireAllowed(JobRequest.of("a").requestedBy(tenant), null))
                .isInstanceOf(JobNotAllowed.class)
                .hasMessage("job 'a' is not open to you; you may start b");
        both.requireAllowed(JobRequest.of("b").requestedBy(tenant), null);
    }
}
