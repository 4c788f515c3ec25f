package dev.muster.gateway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.gateway.internal.metrics.ParsedMetrics.Series;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Telemetry.Claim;
import dev.muster.telemetry.Telemetry.Claims;
import dev.muster.telemetry.Telemetry.DaemonEnd;
import dev.muster.telemetry.Telemetry.DaemonStart;
import dev.muster.telemetry.Telemetry.End;
import dev.muster.telemetry.Telemetry.Exchange;
import dev.muster.telemetry.Telemetry.Leadership;
import dev.muster.telemetry.Telemetry.Loss;
import dev.muster.telemetry.Telemetry.Membership;
import dev.muster.telemetry.Telemetry.NewClaim;
import dev.muster.telemetry.Telemetry.Outcome;
import dev.muster.telemetry.Telemetry.Peer;
import dev.muster.telemetry.Telemetry.Probe;
import dev.muster.telemetry.Telemetry.Recovery;
import dev.muster.telemetry.Telemetry.Start;
import dev.muster.telemetry.Telemetry.Stuck;
import dev.muster.telemetry.Telemetry.Tick;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class NodeMetricsTest {
    private static final Claim CLAIM = claim("send_mail", "mail");
    private static final UUID INCARNATION = new UUID(1, 2);
    private static final String[] PAIR = {"name", "send_mail", "queue", "mail"};

    /** An event, and what it must change: the samples that grow, without the buckets of histograms. */
    record Example(String event, Consumer<Telemetry> fire, Map<Series, Double> changes) {
        @Override
        public String toString() {
            return event + " " + changes.keySet();
        }
    }

    private static Claim claim(String name, String queue) {
        return new Claim(JobId.of("01900000-0000-7000-8000-000000000000"), 7, name, new Lane(queue, ""), 1);
    }

    private static Series ofPair(String metric, String... more) {
        String[] labels = Arrays.copyOf(PAIR, PAIR.length + more.length);
        System.arraycopy(more, 0, labels, PAIR.length, more.length);
        return Series.of(metric, labels);
    }

    private static Recovery recovery(boolean crash) {
        return new Recovery(CLAIM, "n2", crash, 1, JobStatus.PENDING, Optional.empty());
    }

    private static Tick tick(Optional<JobId> job) {
        return new Tick("nightly", Instant.EPOCH, job, Duration.ofSeconds(2));
    }

    private static DaemonEnd daemonEnd(boolean told, Optional<Throwable> failure) {
        return new DaemonEnd("poller", 1, 5, told, failure);
    }

    static List<Example> examples() {
        return List.of(
                new Example(
                        "exchanged",
                        to -> to.exchanged(new Exchange(250_000_000, 3, 4, 5)),
                        Map.of(
                                Series.of("muster_exchange_seconds_count"), 1.0,
                                Series.of("muster_exchange_seconds_sum"), 0.25,
                                Series.of("muster_exchange_outcomes_total", "result", "written"), 4.0,
                                Series.of("muster_exchange_outcomes_total", "result", "refused"), 5.0)),
                new Example(
                        "probed",
                        to -> to.probed(new Probe(500_000_000, true)),
                        Map.of(
                                Series.of("muster_probe_seconds_count", "found", "true"), 1.0,
                                Series.of("muster_probe_seconds_sum", "found", "true"), 0.5)),
                new Example(
                        "probed",
                        to -> to.probed(new Probe(500_000_000, false)),
                        Map.of(
                                Series.of("muster_probe_seconds_count", "found", "false"), 1.0,
                                Series.of("muster_probe_seconds_sum", "found", "false"), 0.5)),
                new Example(
                        "claimed",
                        to -> to.claimed(new Claims(List.of(
                                new NewClaim(CLAIM, Duration.ofSeconds(1), 0),
                                new NewClaim(CLAIM, Duration.ofSeconds(2), 0)))),
                        Map.of(
                                ofPair("muster_jobs_claimed_total"), 2.0,
                                ofPair("muster_job_wait_seconds_count"), 2.0,
                                ofPair("muster_job_wait_seconds_sum"), 3.0)),
                new Example(
                        "started",
                        to -> to.started(new Start(CLAIM)),
                        Map.of(ofPair("muster_jobs_started_total"), 1.0)),
                new Example(
                        "ended",
                        to -> to.ended(new End(CLAIM, 1_500_000_000, End.How.SNOOZED, Optional.empty())),
                        Map.of(
                                ofPair("muster_job_run_seconds_count"), 1.0,
                                ofPair("muster_job_run_seconds_sum"), 1.5,
                                Series.of("muster_handlers_ended_total", "how", "snoozed"), 1.0)),
                new Example(
                        "accepted",
                        to -> to.accepted(outcome(Outcome.Kind.RETRIED)),
                        Map.of(ofPair("muster_job_outcomes_total", "outcome", "retried"), 1.0)),
                new Example(
                        "lost",
                        to -> to.lost(new Loss(CLAIM, Loss.Reason.OUTCOME_REFUSED)),
                        Map.of(ofPair("muster_claims_lost_total", "reason", "outcome_refused"), 1.0)),
                new Example(
                        "stuck",
                        to -> to.stuck(new Stuck(CLAIM, 1)),
                        Map.of(ofPair("muster_handlers_stuck_total"), 1.0)),
                new Example(
                        "recovered",
                        to -> to.recovered(recovery(true)),
                        Map.of(ofPair("muster_claims_recovered_total", "crash", "true"), 1.0)),
                new Example(
                        "recovered",
                        to -> to.recovered(recovery(false)),
                        Map.of(ofPair("muster_claims_recovered_total", "crash", "false"), 1.0)),
                new Example(
                        "expired",
                        to -> to.expired(new ExpiredJob(CLAIM.id(), CLAIM.name(), CLAIM.queue(), 0)),
                        Map.of(ofPair("muster_jobs_expired_total"), 1.0)),
                new Example(
                        "leading",
                        to -> to.leading(new Leadership("scheduler", 1, 12, true)),
                        Map.of(
                                Series.of("muster_leader", "role", "scheduler"), 1.0,
                                Series.of("muster_leader_term", "role", "scheduler"), 12.0,
                                Series.of("muster_leader_beginnings_total", "role", "scheduler"), 1.0)),
                new Example(
                        "joined",
                        to -> to.joined(new Membership("n1", INCARNATION, false)),
                        Map.of(Series.of("muster_node_joined_total", "again", "false"), 1.0)),
                new Example(
                        "joined",
                        to -> to.joined(new Membership("n1", INCARNATION, true)),
                        Map.of(Series.of("muster_node_joined_total", "again", "true"), 1.0)),
                new Example(
                        "left",
                        to -> to.left(new Membership("n1", INCARNATION, false)),
                        Map.of(Series.of("muster_node_left_total"), 1.0)),
                new Example(
                        "peerChanged",
                        to -> to.peerChanged(new Peer("n2", INCARNATION, Peer.State.DEAD, Duration.ofSeconds(9))),
                        Map.of(Series.of("muster_peers_changed_total", "state", "dead"), 1.0)),
                new Example(
                        "ticked",
                        to -> to.ticked(tick(Optional.of(CLAIM.id()))),
                        Map.of(
                                Series.of("muster_cron_ticks_total", "cron", "nightly", "result", "enqueued"), 1.0,
                                Series.of("muster_cron_late_seconds_count"), 1.0,
                                Series.of("muster_cron_late_seconds_sum"), 2.0)),
                new Example(
                        "ticked",
                        to -> to.ticked(tick(Optional.empty())),
                        Map.of(
                                Series.of("muster_cron_ticks_total", "cron", "nightly", "result", "skipped"), 1.0,
                                Series.of("muster_cron_late_seconds_count"), 1.0,
                                Series.of("muster_cron_late_seconds_sum"), 2.0)),
                new Example(
                        "daemonStarted",
                        to -> to.daemonStarted(new DaemonStart("poller", 1, 0)),
                        Map.of(
                                Series.of("muster_daemon_starts_total", "daemon", "poller"), 1.0,
                                Series.of("muster_daemons_running", "daemon", "poller"), 1.0)),
                new Example(
                        "daemonEnded",
                        to -> to.daemonEnded(daemonEnd(true, Optional.of(new IllegalStateException()))),
                        daemonEnded("stopped")),
                new Example(
                        "daemonEnded",
                        to -> to.daemonEnded(daemonEnd(false, Optional.empty())),
                        daemonEnded("returned")),
                new Example(
                        "daemonEnded",
                        to -> to.daemonEnded(daemonEnd(false, Optional.of(new IllegalStateException()))),
                        daemonEnded("failed")));
    }

    private static Map<Series, Double> daemonEnded(String how) {
        return Map.of(
                Series.of("muster_daemon_ends_total", "daemon", "poller", "how", how),
                1.0,
                Series.of("muster_daemons_running", "daemon", "poller"),
                -1.0);
    }

    private static Outcome outcome(Outcome.Kind kind) {
        return new Outcome(CLAIM, kind, true, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static ParsedMetrics read(NodeMetrics metrics) {
        return ParsedMetrics.of(text(metrics));
    }

    private static String text(NodeMetrics metrics) {
        Samples samples = new Samples();
        metrics.write(samples);
        return samples.text();
    }

    private static Set<String> eventsOfTelemetry() {
        return Arrays.stream(Telemetry.class.getDeclaredMethods())
                .filter(Method::isDefault)
                .map(Method::getName)
                .collect(Collectors.toSet());
    }

    @Test
    void thereIsAnExampleOfEveryEvent() {
        assertThat(examples().stream().map(Example::event).collect(Collectors.toSet()))
                .isEqualTo(eventsOfTelemetry());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void anEventChangesItsOwnMetricsAndNoOthers(Example example) {
        NodeMetrics metrics = new NodeMetrics();
        ParsedMetrics before = read(metrics);

        example.fire().accept(metrics);

        assertThat(read(metrics).since(before)).isEqualTo(example.changes());
    }

    @Test
    void allEventsTogetherAddUp() {
        NodeMetrics metrics = new NodeMetrics();
        for (int i = 0; i < 3; i++) {
            examples().forEach(example -> example.fire().accept(metrics));
        }

        ParsedMetrics parsed = read(metrics);
        assertThat(parsed.value("muster_jobs_claimed_total", PAIR)).isEqualTo(6);
        assertThat(parsed.value("muster_job_wait_seconds_sum", PAIR)).isEqualTo(9, within(1e-9));
        assertThat(parsed.value("muster_daemons_running", "daemon", "poller")).isEqualTo(-6);
        assertThat(text(metrics)).as("the order never changes").isEqualTo(text(metrics));
    }

    @ParameterizedTest
    @EnumSource(Outcome.Kind.class)
    void everyOutcomeIsWrittenFromTheFirstEventOn(Outcome.Kind kind) {
        NodeMetrics metrics = new NodeMetrics();
        metrics.started(new Start(CLAIM));
        String[] labels = ofPair("", "outcome", kind.name().toLowerCase(Locale.ROOT)).labels().entrySet().stream()
                .flatMap(label -> List.of(label.getKey(), label.getValue()).stream())
                .toArray(String[]::new);
        assertThat(read(metrics).value("muster_job_outcomes_total", labels)).isZero();

        metrics.accepted(outcome(kind));

        assertThat(read(metrics).value("muster_job_outcomes_total", labels)).isEqualTo(1);
    }

    @Test
    void aDurationCountsInTheBucketsThatItFitsInto() {
        NodeMetrics metrics = new NodeMetrics();
        metrics.ended(new End(CLAIM, 100_000_000, End.How.RETURNED, Optional.empty()));
        metrics.ended(new End(CLAIM, 100_000_001, End.How.RETURNED, Optional.empty()));
        metrics.ended(new End(CLAIM, Long.MAX_VALUE, End.How.RETURNED, Optional.empty()));
        metrics.ended(new End(CLAIM, -5, End.How.RETURNED, Optional.empty()));

        ParsedMetrics parsed = read(metrics);

        assertThat(bucket(parsed, "0.001")).isEqualTo(1);
        assertThat(bucket(parsed, "0.01")).isEqualTo(1);
        assertThat(bucket(parsed, "0.1")).isEqualTo(2);
        assertThat(bucket(parsed, "0.5")).isEqualTo(3);
        assertThat(bucket(parsed, "600.0")).isEqualTo(3);
        assertThat(bucket(parsed, "+Inf")).isEqualTo(4);
    }

    private static double bucket(ParsedMetrics parsed, String le) {
        return parsed.value("muster_job_run_seconds_bucket", "name", "send_mail", "queue", "mail", "le", le);
    }

    @Test
    void aWaitOfAnyLengthIsCounted() {
        NodeMetrics metrics = new NodeMetrics();
        for (Duration wait : List.of(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MIN_VALUE))) {
            metrics.claimed(new Claims(List.of(new NewClaim(CLAIM, wait, 0))));
        }

        assertThat(read(metrics).value("muster_job_wait_seconds_count", PAIR)).isEqualTo(2);
    }

    @Test
    void labelsMayHaveAnyText() {
        NodeMetrics metrics = new NodeMetrics();
        String odd = "a\"b\\c\nd{e=\"f\"}, größer 日本 \\n";
        metrics.started(new Start(claim(odd, "\n\"")));
        metrics.started(new Start(claim("", " ")));

        ParsedMetrics parsed = read(metrics);

        assertThat(parsed.value("muster_jobs_started_total", "name", odd, "queue", "\n\""))
                .isEqualTo(1);
        assertThat(parsed.value("muster_jobs_started_total", "name", "", "queue", " "))
                .isEqualTo(1);
    }

    @Test
    void thePairsAfterTheFirstThousandShareOne() {
        NodeMetrics metrics = new NodeMetrics();
        metrics.started(new Start(claim(JobTable.OTHER, JobTable.OTHER)));
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < JobTable.MOST + 50; i++) {
                metrics.started(new Start(claim("job" + i, "q" + i % 7)));
            }
        }

        ParsedMetrics parsed = read(metrics);
        List<Double> started = parsed.samples().entrySet().stream()
                .filter(sample -> sample.getKey().name().equals("muster_jobs_started_total"))
                .map(Map.Entry::getValue)
                .toList();
        assertThat(started).hasSize(JobTable.MOST);
        assertThat(started.stream().mapToDouble(one -> one).sum()).isEqualTo(2 * (JobTable.MOST + 50) + 1);
        assertThat(parsed.value("muster_jobs_started_total", "name", "job0", "queue", "q0"))
                .isEqualTo(2);
        assertThat(parsed.value("muster_jobs_started_total", "name", "other", "queue", "other"))
                .isEqualTo(2 * 51 + 1);
    }

    @Test
    void cronsAndDaemonsAreBoundedToo() {
        NodeMetrics metrics = new NodeMetrics();
        for (int i = 0; i < JobTable.MOST + 50; i++) {
            metrics.daemonStarted(new DaemonStart("d" + i, 1, 0));
            metrics.ticked(new Tick("c" + i, Instant.EPOCH, Optional.empty(), Duration.ZERO));
        }
        metrics.daemonStarted(new DaemonStart("d0", 1, 0));

        ParsedMetrics parsed = read(metrics);

        assertThat(parsed.value("muster_daemon_starts_total", "daemon", "d0")).isEqualTo(2);
        assertThat(parsed.value("muster_daemon_starts_total", "daemon", "other"))
                .isEqualTo(50);
        assertThat(parsed.value("muster_cron_ticks_total", "cron", "other", "result", "skipped"))
                .isEqualTo(50);
    }

    /** Threads that meet a full table, and each other at the same new pairs, lose no event. */
    @Test
    void noEventIsLostWhenManyThreadsCount() throws InterruptedException {
        NodeMetrics metrics = new NodeMetrics();
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(number -> new Thread(() -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    for (int i = 0; i < 5_000; i++) {
                        metrics.started(new Start(claim("job" + i % 1_500, "q")));
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(read(metrics).samples().entrySet().stream()
                        .filter(sample -> sample.getKey().name().equals("muster_jobs_started_total"))
                        .mapToDouble(Map.Entry::getValue)
                        .sum())
                .isEqualTo(20_000);
    }

    @Test
    void aNodeThatStoppedLeadingSaysSo() {
        NodeMetrics metrics = new NodeMetrics();
        assertThat(read(metrics).value("muster_leader", "role", "scheduler")).isZero();
        metrics.leading(new Leadership("scheduler", 1, 12, true));
        metrics.leading(new Leadership("scheduler", 1, 12, false));

        ParsedMetrics parsed = read(metrics);

        assertThat(parsed.value("muster_leader", "role", "scheduler")).isZero();
        assertThat(parsed.value("muster_leader_term", "role", "scheduler")).isEqualTo(12);
        assertThat(parsed.value("muster_leader_beginnings_total", "role", "scheduler"))
                .isEqualTo(1);
    }
}
