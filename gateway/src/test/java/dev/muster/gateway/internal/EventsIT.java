package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.CountingDataSource.Sent;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.Listening.Received;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.testing.Periods;
import dev.muster.testing.Sizes;
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
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Live events over HTTP. */
@Order(1)
@MusterTest(settings = "worker.lease=60s")
class EventsIT {
    /** Part of the statement with which each round of the feed begins. */
    private static final String ROUND = "pg_prepared_xacts";

    private static final int JOBS_OF_A_STREAM = Sizes.of(10, 50);
    private static final int ENDED_EARLIER = 11_000;
    private static final int LISTENERS = Sizes.of(100, 500);

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
            assertThat(release.await(5, TimeUnit.MINUTES)).isTrue();
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

    /** All jobs that have ended. */
    private static List<String> history(Cluster cluster) throws SQLException {
        return column(cluster, "SELECT id FROM muster_job_history");
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

    /** A statement that puts this many ended jobs into history. */
    private static String ended(int count, String when, String status, String name) {
        return "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, priority, attempt, crashes, status, name, queue,"
                + " capability, args) SELECT gen_random_uuid(), " + when + ", now(), now(), 0, 1, 0, " + status + ", '"
                + name
                + "', 'default', '', '{}' FROM generate_series(1, " + count + ") i";
    }

    private static void awaitHello(Listening listening) {
        await().until(() -> !listening.events().isEmpty());
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

        await().until(() -> listening.jobs().size() == 21);
        assertThat(listening.jobs())
                .containsExactlyInAnyOrderElementsOf(history(cluster))
                .contains(failed.toString());
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
        // New runs are found by their ids, which have the time of this process.
        cluster.database().execute("SELECT test_clock_stands_at(pg_catalog.clock_timestamp())");
        Work work = new Work();
        GatewayNode gateway = GatewayNode.start(cluster, work);
        JobId slow = cluster.client().jobs().enqueue("slow", null);
        try (Listening listening = Listening.to(gateway, gateway.key(Scope.READ), "?job=" + slow)) {
            await().untilAsserted(() -> assertThat(listening.events("watched")).anySatisfy(job -> {
                assertThat(job.text("id")).isEqualTo(slow.toString());
                assertThat(job.text("status")).isEqualTo("running");
                assertThat(job.text("progress")).isEqualTo("40");
                assertThat(job.text("log_lines")).isEqualTo("1");
            }));
            await().untilAsserted(() -> assertThat(listening.events("counts"))
                    .anySatisfy(
                            counts -> assertThat(counts.data()).contains("\"running\":{\"count\":1,\"exact\":true}")));
            cluster.client().queues().pause("mail");
            await().until(() -> !listening.events("queues").isEmpty());
            JobId run = cluster.client().workflows().start("checkout", "cart");
            await().untilAsserted(() -> assertThat(listening.events("run")).anySatisfy(event -> {
                assertThat(event.text("id")).isEqualTo(run.toString());
                assertThat(event.text("workflow_name")).isEqualTo("checkout");
                assertThat(event.text("status")).isEqualTo("waiting");
            }));
            cluster.client().workflows().cancel(run, "not needed");
            await().until(() -> listening.events("run").stream()
                    .anyMatch(event -> event.text("status").equals("cancelled_by_operator")));
            cluster.node();
            await().until(() -> !listening.events("nodes").isEmpty());
            work.release.countDown();
            await().until(() -> listening.events("watched").stream()
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
                .config(MusterConfig.defaults())
                .dataSource(source.dataSource())
                .set("gateway.port", "0")
                // So few threads that each listener cannot have one.
                .set("gateway.max_requests", "10")
                .set("gateway.max_event_clients_per_caller", String.valueOf(LISTENERS))
                .register(new Work())
                .build()) {
            muster.start();
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            assertThat(source.with(ROUND)).as("without a client").isEmpty();

            List<Listening> all = new ArrayList<>();
            for (int i = 0; i < LISTENERS; i++) {
                // One after the other: there may be few requests at a time.
                Listening next = Listening.to(gateway, key, "");
                awaitHello(next);
                all.add(next);
            }
            source.forget();
            JobId job = muster.jobs().enqueue("quick", null);

            all.forEach(one -> await().until(() -> one.jobs().contains(job.toString())));
            await().until(() -> source.with(ROUND).size() >= 2);
            List<Sent> rounds = source.with(ROUND);
            String feed = rounds.get(0).thread();
            assertThat(rounds)
                    .as("one feed for all")
                    .allMatch(round -> round.thread().equals(feed));
            assertThat(source.of(feed)).as("of %d rounds", rounds.size()).isLessThan((long) LISTENERS * rounds.size());
            assertThat(gateway.send("GET", "/_api/queues", key, null).status())
                    .as("listeners take neither threads nor places of requests")
                    .isEqualTo(200);

            all.forEach(Listening::close);
            // The feed looks twice a second.
            await("nobody listens, nothing is asked").until(() -> {
                tellSomething(cluster);
                source.forget();
                Periods.measureFor(Duration.ofMillis(1_500));
                return source.with(ROUND).isEmpty();
            });
        }
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
            await().until(() -> open.jobs().size() > JOBS_OF_A_STREAM);
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
        assertThat(load.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        List<String> before = List.copyOf(got);
        Listening last = listening;
        await().until(() -> before.size() + last.jobs().size() >= sent.get());
        got.addAll(last.jobs());
        last.close();

        assertThat(got).containsExactlyInAnyOrderElementsOf(history(cluster));
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

            await().until(() -> listening.jobs().size() == 11);
            assertThat(listening.jobs()).containsExactlyInAnyOrderElementsOf(history(cluster));

            statement.execute(ended(1, "clock_timestamp()", "'completed'", "very late"));
            JobId other = enqueue(cluster, 1).get(0);
            await("others do not wait for it for long")
                    .until(() -> listening.jobs().contains(other.toString()));
            connection.commit();
            await().until(() -> listening.jobs().size() == 13);
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

            await().until(() -> listening.jobs().size() + more(listening, "ended") == 3_000);
            long failed = listening.events("job").stream()
                    .filter(job -> job.text("status").equals("failed"))
                    .count();
            assertThat(failed + more(listening, "failed")).isEqualTo(300);
            assertThat(listening.jobs()).doesNotHaveDuplicates();
        }
    }

    private static long more(Listening listening, String member) {
        return listening.events("jobs").stream()
                .mapToLong(event -> Long.parseLong(event.text(member)))
                .sum();
    }

    /** Few keys of the address are checked at a time from then on; that says nothing about those of its streams. */
    @Test
    void aRevokedKeyEndsItsStreamsHoweverManyWrongKeysComeFromItsAddress(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster);
        CreatedKey key = gateway.create(KeyRequest.of("reader", Scope.READ));
        List<Listening> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Listening listening = Listening.to(gateway, key.key(), "");
            awaitHello(listening);
            all.add(listening);
        }
        for (int i = 0; i < 60; i++) {
            gateway.send("GET", "/_api/queues", "mk_wrong" + i, null);
        }

        cluster.client().apiKeys().revoke(key.info().id());

        await().until(() -> gateway.send("GET", "/_api/queues", key.key(), null).status() == 401);
        await().until(() -> all.stream().allMatch(Listening::hasEnded));
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

        await().until(listening::hasEnded);
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
            await().until(() -> listening.jobs().size() == 3);
            gateway.node.cutDatabase();
            jobs.addAll(enqueue(cluster, 3));
            jobs.forEach(cluster::awaitEnded);
            await("the gateway has noticed")
                    .until(() -> gateway.send("GET", "/_api/ready", null, null).status() == 503);
            // Once a second it is asked whether the key is still good.
            Periods.nothingHappensFor(
                    Duration.ofMillis(1_200),
                    () -> assertThat(listening.hasEnded()).isFalse());

            gateway.node.restoreDatabase();

            await().until(() -> listening.jobs().size() == 6);
            assertThat(listening.jobs()).containsExactlyInAnyOrderElementsOf(history(cluster));
            assertThat(listening.events("reset")).isEmpty();
        }
    }

    @Test
    void aClientThatDoesNotReadIsDroppedAndOthersGetEverything(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.read_timeout", "5s"));
        String key = gateway.key(Scope.READ);
        // 500 of them in each ten seconds, which the feed reads at once and sends one by one: more than the buffers of
        // a connection hold.
        cluster.database()
                .execute(ended(
                        ENDED_EARLIER, "clock_timestamp() - i * interval '20 ms'", "'completed'", "x".repeat(500)));
        String begin = cluster.database()
                .column(
                        "SELECT (extract(epoch FROM min(finished_at) - interval '1 ms') * 1000000)::bigint FROM muster_job_history")
                .get(0);
        String query = "?topic=jobs&last_event_id=" + begin + "-" + JobId.next();
        List<Listening> streams = new ArrayList<>(List.of(Listening.to(gateway, key, query)));
        try (Socket deaf = RawHttp.deaf(gateway.port())) {
            deaf.getOutputStream()
                    .write(("GET /_api/events" + query + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            awaitHello(streams.get(0));
            await("the deaf one has come").until(() -> deaf.getInputStream().available() > 0);

            await().untilAsserted(
                            () -> assertThat(received(gateway, key, streams)).isEqualTo(ENDED_EARLIER));
            // Who has everything is dropped no more, however slow it is.
            await("the deaf one was dropped").until(() -> clients(gateway) == 1);
            assertThat(received(gateway, key, streams)).isEqualTo(ENDED_EARLIER);
            assertThat(streams.get(streams.size() - 1).hasEnded()).isFalse();
            assertThat(streams)
                    .allSatisfy(stream -> assertThat(stream.events("reset")).isEmpty());
            assertThat(streams.stream().flatMap(stream -> stream.jobs().stream()))
                    .doesNotHaveDuplicates();
        } finally {
            streams.forEach(Listening::close);
        }
    }

    /** How many jobs a client has heard of that resumes where it was when it is dropped: on a busy machine it may read slowly, too. */
    private static long received(GatewayNode gateway, String key, List<Listening> streams) {
        Listening last = streams.get(streams.size() - 1);
        if (last.hasEnded()) {
            streams.add(Listening.to(gateway, key, "?topic=jobs", "Last-Event-ID", last.lastId()));
        }
        return streams.stream()
                .mapToLong(stream -> stream.jobs().size() + more(stream, "ended"))
                .sum();
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
            // Longer than a request may take to arrive, and longer than until the next check of its key.
            Periods.nothingHappensFor(
                    Duration.ofMillis(2_500),
                    () -> assertThat(listening.hasEnded()).isFalse());
            JobId job = enqueue(cluster, 1).get(0);

            await().until(() -> listening.jobs().contains(job.toString()));
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
        await("its place is free again").until(() -> {
            tellSomething(cluster);
            return gateway.get("/_api/events?last_event_id=1-" + JobId.next()).status() == 200;
        });
    }

    /** Who has gone is noticed when there is something to tell, which a queue that is resumed before the feed looks is not. */
    private static void tellSomething(Cluster cluster) {
        cluster.client().queues().pause("queue-" + UUID.randomUUID());
    }
}
