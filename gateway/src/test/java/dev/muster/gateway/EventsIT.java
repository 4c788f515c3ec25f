package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.gateway.GatewayNode.Response;
import dev.muster.gateway.Listening.Received;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Live events over HTTP. */
@MusterTest
class EventsIT {
    private static final Duration IN_TIME = Duration.ofSeconds(30);

    static final class Work {
        final CountDownLatch release = new CountDownLatch(1);

        @Job("quick")
        void quick() {}

        @Job(value = "fail", maxAttempts = 1)
        void fail() {
            throw new IllegalStateException("as always");
        }

        @Job("slow")
        void slow(JobContext ctx) throws InterruptedException {
            ctx.progress(40, "packing");
            ctx.log().info("packing");
            assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
        }

        @Workflow(name = "checkout", version = "v1")
        String checkout(WorkflowContext wf, String cart) {
            return wf.awaitEvent("paid", String.class);
        }
    }

    private static List<JobId> enqueue(Cluster cluster, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> cluster.client().jobs().enqueue("quick", null))
                .toList();
    }

    private static List<String> texts(List<JobId> ids) {
        return ids.stream().map(JobId::toString).toList();
    }

    /** All jobs that have ended, in the order of their positions. */
    private static List<String> history(Cluster cluster) throws SQLException {
        return column(cluster, "SELECT id FROM muster_job_history ORDER BY finished_at, id");
    }

    private static List<String> column(Cluster cluster, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    /** A statement that puts so many ended jobs into history. */
    private static String ended(int count, String when, String status, String name) {
        return "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, priority, attempt, crashes, status, name, queue,"
                + " capability, args) SELECT gen_random_uuid(), " + when + ", now(), now(), 0, 1, 0, " + status + ", '"
                + name
                + "', 'default', '', '{}' FROM generate_series(1, " + count + ") i";
    }

    private static void awaitHello(Listening listening) {
        await().atMost(IN_TIME).until(() -> !listening.events().isEmpty());
    }

    @Test
    void aClientHearsOfEveryJobThatEnds(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, new Work());
        Listening listening = Listening.to(gateway, gateway.key(Scope.READ), "?topic=jobs");
        awaitHello(listening);
        assertThat(listening.events().get(0)).satisfies(hello -> {
            assertThat(hello.type()).isEqualTo("hello");
            assertThat(hello.text("node")).isEqualTo(gateway.node.id());
        });
        JobId failed = cluster.client().jobs().enqueue("fail", null);
        List<JobId> quick = enqueue(cluster, 20);

        await().atMost(IN_TIME).until(() -> listening.jobs().size() == 21);
        assertThat(listening.jobs()).isEqualTo(history(cluster)).contains(failed.toString());
        Received event = listening.events("job").stream()
                .filter(one -> one.text("id").equals(failed.toString()))
                .findFirst()
                .orElseThrow();
        assertThat(event.text("status")).isEqualTo("failed");
        assertThat(event.text("name")).isEqualTo("fail");
        assertThat(event.text("queue")).isEqualTo("default");
        assertThat(event.text("attempt")).isEqualTo("1");
        assertThat(event.text("node")).isEqualTo(gateway.node.id());
        assertThat(event.id()).matches("\\d{16}-" + failed);
        assertThat(listening.jobs()).containsAll(texts(quick));
        assertThat(clients(gateway)).isEqualTo(1);

        gateway.node.close();
        HttpResponse<Void> answer = listening.answer();
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/event-stream");
        assertThat(answer.headers().firstValue("X-Accel-Buffering")).contains("no");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(listening.events("reset")).as("the gateway drains").hasSize(1);
    }

    @Test
    void aClientSeesCountsAWatchedJobARunAndChanges(Cluster cluster) {
        Work work = new Work();
        GatewayNode gateway = GatewayNode.start(cluster, work);
        JobId slow = cluster.client().jobs().enqueue("slow", null);
        try (Listening listening = Listening.to(gateway, gateway.key(Scope.READ), "?job=" + slow)) {
            await().atMost(IN_TIME)
                    .untilAsserted(() -> assertThat(listening.events("watched")).anySatisfy(job -> {
                        assertThat(job.text("id")).isEqualTo(slow.toString());
                        assertThat(job.text("status")).isEqualTo("running");
                        assertThat(job.text("progress")).isEqualTo("40");
                        assertThat(job.text("log_lines")).isEqualTo("1");
                    }));
            await().atMost(IN_TIME)
                    .untilAsserted(() -> assertThat(listening.events("counts"))
                            .anySatisfy(counts ->
                                    assertThat(counts.data()).contains("\"running\":{\"count\":1,\"exact\":true}")));
            cluster.client().queues().pause("mail");
            await().atMost(IN_TIME).until(() -> !listening.events("queues").isEmpty());
            JobId run = cluster.client().workflows().start("checkout", "cart");
            await().atMost(IN_TIME)
                    .untilAsserted(() -> assertThat(listening.events("run")).anySatisfy(event -> {
                        assertThat(event.text("id")).isEqualTo(run.toString());
                        assertThat(event.text("workflow_name")).isEqualTo("checkout");
                        assertThat(event.text("status")).isEqualTo("waiting");
                    }));
            cluster.client().workflows().cancel(run, "not needed");
            await().atMost(IN_TIME)
                    .until(() -> listening.events("run").stream()
                            .anyMatch(event -> event.text("status").equals("cancelled_by_operator")));
            cluster.node();
            await().atMost(IN_TIME).until(() -> !listening.events("nodes").isEmpty());
            work.release.countDown();
            await().atMost(IN_TIME)
                    .until(() -> listening.events("watched").stream()
                            .anyMatch(event -> event.text("status").equals("completed")));
            assertThat(listening.hasEnded()).isFalse();
        }
    }

    @Test
    void nothingIsAskedForNobodyAndNoMoreForManyThanForOne(Cluster cluster) {
        cluster.client().migrate();
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("reader", Scope.READ))
                .key();
        CountingDataSource source = new CountingDataSource(cluster.database().dataSource());
        try (Muster muster = Muster.builder()
                .dataSource(source.dataSource())
                .set("gateway.port", "0")
                .set("gateway.drain_timeout", "1s")
                .register(new Work())
                .build()) {
            muster.start();
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            muster.jobs().enqueue("quick", null);
            assertThat(rounds(source)).as("without a client").isZero();

            List<Listening> all = new ArrayList<>();
            all.add(Listening.to(gateway, key, ""));
            awaitHello(all.get(0));
            long forOne = rounds(source);
            int threads = Thread.activeCount();
            for (int i = 0; i < 499; i++) {
                all.add(Listening.to(gateway, key, ""));
            }
            all.forEach(EventsIT::awaitHello);
            long forMany = rounds(source);
            int threadsForMany = Thread.activeCount();
            JobId job = muster.jobs().enqueue("quick", null);

            all.forEach(one -> await().atMost(IN_TIME).until(() -> one.jobs().contains(job.toString())));
            assertThat(forOne).isBetween(2L, 13L);
            assertThat(forMany).isBetween(1L, 13L);
            assertThat(threadsForMany - threads)
                    .as("those that have accepted the requests, and none for each")
                    .isLessThan(300);
            assertThat(gateway.send("GET", "/_api/queues", key, null).status())
                    .as("500 listeners take no places of requests")
                    .isEqualTo(200);

            all.forEach(Listening::close);
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> rounds(source) == 0);
        }
    }

    /** How many rounds the feed makes in five seconds. */
    private static long rounds(CountingDataSource source) {
        source.forget();
        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        await().pollInterval(Duration.ofMillis(100)).until(() -> System.nanoTime() - end > 0);
        return source.with("pg_prepared_xacts");
    }

    @Test
    void whoGoesToAnotherGatewayMissesNothingAndGetsNothingTwice(Cluster cluster) throws Exception {
        GatewayNode first = GatewayNode.start(cluster, Map.of("node.roles", "gateway"));
        GatewayNode second = GatewayNode.start(cluster, Map.of("node.roles", "gateway"));
        cluster.node(new Work());
        String key = first.key(Scope.READ);
        List<String> got = new ArrayList<>();
        AtomicInteger sent = new AtomicInteger();
        ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
        load.scheduleAtFixedRate(() -> sent.addAndGet(enqueue(cluster, 2).size()), 0, 50, TimeUnit.MILLISECONDS);
        Listening listening = Listening.to(first, key, "?topic=jobs");
        for (int i = 0; i < 6; i++) {
            Listening open = listening;
            await().atMost(IN_TIME).until(() -> open.jobs().size() > 50);
            if (i == 5) {
                break;
            }
            open.close();
            if (i == 4) {
                first.node.crash();
            }
            got.addAll(open.jobs());
            GatewayNode next = i % 2 == 0 ? second : first;
            listening = Listening.to(next, key, "?topic=jobs", "Last-Event-ID", open.lastId());
        }
        load.shutdown();
        assertThat(load.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        List<String> before = List.copyOf(got);
        Listening last = listening;
        await().atMost(IN_TIME).until(() -> before.size() + last.jobs().size() >= sent.get());
        got.addAll(last.jobs());
        last.close();

        assertThat(got).doesNotHaveDuplicates().isEqualTo(history(cluster));
    }

    @Test
    void aJobThatIsCommittedLateIsNotMissed(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, new Work());
        try (Listening listening = Listening.to(gateway, gateway.key(Scope.READ), "?topic=jobs");
                Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            awaitHello(listening);
            connection.setAutoCommit(false);
            statement.execute(ended(1, "clock_timestamp()", "'completed'", "late"));
            List<JobId> others = enqueue(cluster, 10);
            others.forEach(cluster::awaitEnded);
            connection.commit();

            await().atMost(IN_TIME).until(() -> listening.jobs().size() == 11);
            assertThat(listening.jobs()).containsExactlyInAnyOrderElementsOf(history(cluster));

            statement.execute(ended(1, "clock_timestamp()", "'completed'", "very late"));
            JobId other = enqueue(cluster, 1).get(0);
            await("others do not wait for it for long")
                    .atMost(IN_TIME)
                    .until(() -> listening.jobs().contains(other.toString()));
            connection.commit();
            await().atMost(IN_TIME).until(() -> listening.jobs().size() == 13);
            assertThat(listening.jobs()).containsExactlyInAnyOrderElementsOf(history(cluster));
        }
    }

    @Test
    void manyAtATimeAreCountedExactly(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, new Work());
        try (Listening listening = Listening.to(gateway, gateway.key(Scope.READ), "?topic=jobs");
                Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            awaitHello(listening);
            statement.execute(ended(
                    3_000, "clock_timestamp()", "CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'completed' END", "many"));

            await().atMost(IN_TIME).until(() -> listening.jobs().size() + more(listening, "ended") == 3_000);
            long failed = listening.events("job").stream()
                    .filter(job -> job.text("status").equals("failed"))
                    .count();
            assertThat(failed + more(listening, "failed")).isEqualTo(300);
            assertThat(more(listening, "ended")).isPositive();
            assertThat(listening.jobs()).doesNotHaveDuplicates();
        }
    }

    private static long more(Listening listening, String member) {
        return listening.events("jobs").stream()
                .mapToLong(event -> Long.parseLong(event.text(member)))
                .sum();
    }

    @Test
    void aRevokedKeyEndsItsStreams(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster);
        CreatedKey key = gateway.create(KeyRequest.of("reader", Scope.READ));
        Listening listening = Listening.to(gateway, key.key(), "");
        Listening other = Listening.to(gateway, gateway.key(Scope.READ), "");
        awaitHello(listening);
        awaitHello(other);

        cluster.client().apiKeys().revoke(key.info().id());

        await().atMost(Duration.ofSeconds(10)).until(listening::hasEnded);
        assertThat(listening.lastId()).isNotNull();
        assertThat(listening.events("reset"))
                .singleElement()
                .satisfies(reset -> assertThat(reset.text("reason")).contains("revoked"));
        assertThat(other.hasEnded()).isFalse();
        other.close();
    }

    @Test
    void anOutageOfTheDatabaseEndsNoStream(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("node.roles", "gateway"));
        cluster.node(new Work());
        try (Listening listening = Listening.to(gateway, gateway.key(Scope.READ), "?topic=jobs")) {
            awaitHello(listening);
            List<JobId> jobs = new ArrayList<>(enqueue(cluster, 3));
            await().atMost(IN_TIME).until(() -> listening.jobs().size() == 3);
            gateway.node.cutDatabase();
            jobs.addAll(enqueue(cluster, 3));
            jobs.forEach(cluster::awaitEnded);
            await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
            assertThat(listening.hasEnded()).isFalse();

            gateway.node.restoreDatabase();

            await().atMost(Duration.ofSeconds(60)).until(() -> listening.jobs().size() == 6);
            assertThat(listening.jobs()).isEqualTo(history(cluster));
            assertThat(listening.events("reset")).isEmpty();
        }
    }

    @Test
    void aClientThatDoesNotReadIsDroppedAndOthersGetEverything(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.read_timeout", "2s"));
        String key = gateway.key(Scope.READ);
        try (Listening listening = Listening.to(gateway, key, "?topic=jobs");
                Socket deaf = RawHttp.connect(gateway.port(), "127.0.0.1");
                Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            deaf.getOutputStream()
                    .write(("GET /_api/events?topic=jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            awaitHello(listening);
            await().atMost(IN_TIME).until(() -> clients(gateway) == 2);
            // They end within the next 15 seconds, each half second 500 of them: ten megabytes of events.
            statement.execute(ended(15_000, "clock_timestamp() + i * interval '1 ms'", "'completed'", "x".repeat(500)));

            await().atMost(Duration.ofSeconds(60)).until(() -> clients(gateway) == 1);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> listening.jobs().size() + more(listening, "ended") == 15_000);
            assertThat(listening.hasEnded()).isFalse();
        }
    }

    private static int clients(GatewayNode gateway) {
        Matcher metric = Pattern.compile("(?m)^muster_event_clients (\\d+)")
                .matcher(gateway.get("/_api/metrics").body());
        assertThat(metric.find()).isTrue();
        return Integer.parseInt(metric.group(1));
    }

    @Test
    void aQuietStreamStaysOpen(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.read_timeout", "1s"), new Work());
        staysOpen(cluster, gateway, gateway.key(Scope.READ));
    }

    @Test
    void aStreamStaysOpenWithoutALogin(Cluster cluster) {
        staysOpen(cluster, GatewayNode.start(cluster, Map.of("gateway.auth", "none"), new Work()), "not needed");
    }

    private static void staysOpen(Cluster cluster, GatewayNode gateway, String key) {
        try (Listening listening = Listening.to(gateway, key, "?topic=jobs")) {
            awaitHello(listening);
            await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
            assertThat(listening.hasEnded()).isFalse();
            JobId job = enqueue(cluster, 1).get(0);

            await().atMost(IN_TIME).until(() -> listening.jobs().contains(job.toString()));
            assertThat(listening.events("reset")).isEmpty();
        }
    }

    @Test
    void refusesWhatCannotBeServed(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.max_event_clients", "1"));
        String key = gateway.key(Scope.READ);
        assertThat(gateway.get("/_api/events?last_event_id=yesterday").status()).isEqualTo(400);
        assertThat(gateway.get("/_api/events?topic=weather").body()).contains("'weather' is no topic");
        String tooMany = "?job="
                + String.join(
                        "&job=",
                        texts(IntStream.range(0, 101)
                                .mapToObj(i -> JobId.next())
                                .toList()));
        assertThat(gateway.get("/_api/events" + tooMany).body()).contains("at most 100 jobs");
        Response tooLate = gateway.get("/_api/events?last_event_id=1-" + JobId.next());
        assertThat(tooLate.status()).isEqualTo(200);
        assertThat(tooLate.body())
                .contains("event: hello")
                .contains("event: reset")
                .contains("too late");

        try (Listening listening = Listening.to(gateway, key, "")) {
            awaitHello(listening);
            Response busy = gateway.get("/_api/events");
            assertThat(busy.status()).isEqualTo(503);
            assertThat(busy.text("error", "code")).isEqualTo("busy");
        }
        await("its place is free again")
                .atMost(IN_TIME)
                .until(() -> gateway.get("/_api/events?last_event_id=1-" + JobId.next())
                                .status()
                        == 200);
    }
}
