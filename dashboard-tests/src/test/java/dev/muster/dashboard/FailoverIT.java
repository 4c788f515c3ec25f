package dev.muster.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testing.Measured;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The gateway that the page listens to dies: the page continues with another one, and misses nothing. */
class FailoverIT extends InBrowser {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    static final class App {
        final CountDownLatch gate = new CountDownLatch(1);

        @Job(value = "wait_for_gate", queue = "elsewhere")
        void waitForGate() throws InterruptedException {
            gate.await();
        }
    }

    @Test
    void thePageIsLiveAgainByItself(Cluster cluster) throws IOException {
        App app = new App();
        cluster.node(Map.of("worker.lease", "1m"), app);
        Map<String, String> settings = Map.of("gateway.auth", "none", "node.roles", "gateway");
        Node one = gateway(cluster, settings, app);
        Node other = gateway(cluster, settings, app);
        JobId job = cluster.jobs().enqueue(JobRequest.of("wait_for_gate"));
        try (RoundRobin balancer =
                new RoundRobin(one.ports().get(0), other.ports().get(0))) {
            Tab tab = open(balancer.address(), Look.DESK_LIGHT).go("#/jobs").settle();
            assertThat(tab.find("job", job.toString()).locator("[data-status=running]"))
                    .isVisible();
            tab.awaitLive().noteStates();
            int source = balancer.source();
            Node doomed = Stream.of(one, other)
                    .filter(node -> node.ports().get(0) == source)
                    .findFirst()
                    .orElseThrow();

            long crashed = System.nanoTime();
            doomed.crash();
            balancer.lose(source);
            app.gate.countDown();

            tab.page()
                    .waitForFunction(
                            "() => window.states.some((state) => state !== 'live') && window.states.at(-1) === 'live'");
            Measured.within(LIMIT, Duration.ofNanos(System.nanoTime() - crashed), "until the page was live again");
            assertThat(tab.find("job", job.toString()).locator("[data-status=completed]"))
                    .isVisible();
            assertThat(balancer.source()).isNotEqualTo(source);
            assertThat(tab.problems()).allSatisfy(problem -> assertThat(problem).containsAnyOf("ERR_", "failed:"));
        }
    }

    @Test
    void aPageForWhichThereAreNoEventsPolls(Cluster cluster) {
        Node node = gateway(cluster, Map.of("gateway.auth", "none", "gateway.max_event_clients", "1"), new Seed.Shop());
        Tab first = open(node, Look.DESK_LIGHT).go("#/nodes").settle();
        first.awaitLive();
        Tab second = open(node, Look.DESK_LIGHT).go("#/nodes").settle();

        assertThat(second.page().locator("[data-test=live][data-state=busy]")).containsText("Polling");
        second.assertNoProblemsBut("503");
    }

    @Test
    void anAddressThatNobodyHasDoesNotEndTheEvents(Cluster cluster) {
        Node node = openGateway(cluster, new Seed.Shop());
        Tab tab = open(node, Look.DESK_LIGHT).go("#/jobs/nonsense").settle();

        tab.awaitLive();
        tab.assertNoProblemsBut("_api/jobs/nonsense");
    }
}
