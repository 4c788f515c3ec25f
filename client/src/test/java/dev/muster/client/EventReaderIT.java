package dev.muster.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.event.Event;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.EventTopic;
import dev.muster.event.Subscription;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.testing.Periods;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@MusterTest
class EventReaderIT {
    private static final Subscription JOBS = new Subscription(Set.of(EventTopic.JOBS), Set.of(), Set.of());
    private static final Map<String, String> GATEWAY = Map.of("gateway.port", "0", "node.roles", "gateway");

    static final class App {
        @Job("quick")
        void quick() {}
    }

    private static URI at(Node node) {
        return URI.create("http://127.0.0.1:" + node.ports().get(0));
    }

    private static List<JobId> readJobs(EventReader events, int count) {
        List<JobId> jobs = new ArrayList<>();
        while (jobs.size() < count) {
            Event event = events.next().orElseThrow();
            if (event.content() instanceof JobEnded job) {
                jobs.add(job.id());
            }
        }
        return jobs;
    }

    @Test
    void goesOnAtAnotherGatewayWhenTheFirstOneDies(Cluster cluster) {
        Node first = cluster.node(GATEWAY);
        Node second = cluster.node(GATEWAY);
        cluster.node(Map.of("worker.lease", "1m"), new App());
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("reader", Scope.READ))
                .key();
        MusterClient client =
                MusterClient.builder().server(at(first), at(second)).key(key).build();
        try (EventReader events = client.events(JOBS)) {
            assertThat(events.next().orElseThrow().content()).isInstanceOf(Event.Hello.class);
            JobId one = cluster.client().jobs().enqueue("quick", null);
            assertThat(readJobs(events, 1)).containsExactly(one);
            first.crash();
            Event next = events.next().orElseThrow();
            while (!(next.content() instanceof Event.Hello)) {
                next = events.next().orElseThrow();
            }
            JobId two = cluster.client().jobs().enqueue("quick", null);

            assertThat(readJobs(events, 1)).containsExactly(two);
        }
    }

    @Test
    void aReaderThatIsClosedEnds(Cluster cluster) throws Exception {
        Node node = cluster.node(GATEWAY);
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("reader", Scope.READ))
                .key();
        MusterClient client = MusterClient.builder().server(at(node)).key(key).build();
        EventReader events = client.events(JOBS);
        assertThat(events.next()).isPresent();
        CompletableFuture<Optional<Event>> next =
                CompletableFuture.supplyAsync(events::next, task -> new Thread(task, "reader").start());
        Periods.nothingHappensFor(Duration.ofMillis(200), () -> assertThat(next).isNotDone());

        events.close();

        assertThat(next.get(2, TimeUnit.MINUTES)).isEmpty();
    }

    @Test
    void aRefusalIsNotTriedAgain(Cluster cluster) {
        Node node = cluster.node(GATEWAY);
        MusterClient client =
                MusterClient.builder().server(at(node)).key("mk_wrong").build();
        try (EventReader events = client.events(JOBS)) {
            assertThatThrownBy(events::next)
                    .isInstanceOf(GatewayException.class)
                    .satisfies(e -> assertThat(((GatewayException) e).code()).isEqualTo("unauthorized"));
        }
    }
}
