package dev.muster.document.internal;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.AuditEntry;
import dev.muster.access.CallerInfo;
import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchStatus;
import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.PublishedFunction;
import dev.muster.config.NodeRole;
import dev.muster.daemon.DaemonInfo;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.job.BatchId;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobOptions;
import dev.muster.job.JobPage;
import dev.muster.job.JobRate;
import dev.muster.job.JobStatus;
import dev.muster.job.KnownNames;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.job.RetryableJobs;
import dev.muster.lock.LockInfo;
import dev.muster.overview.ConcurrencyGroupUsage;
import dev.muster.overview.Finding;
import dev.muster.overview.Finding.Severity;
import dev.muster.overview.Overview;
import dev.muster.overview.RateLimitUsage;
import dev.muster.runtime.NamePatterns;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronTick;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.MinuteMetrics;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One of each thing that has a document: with everything that it can have, and with as little as it must have. */
final class SampleDocuments {
    private SampleDocuments() {}

    static final Instant T1 = Instant.parse("2026-03-01T12:00:00.123456Z");
    static final Instant T2 = Instant.parse("2026-03-02T12:00:00Z");
    static final Instant T3 = Instant.parse("2026-03-03T12:00:00.5Z");
    static final Instant T4 = Instant.parse("2026-03-04T12:00:00Z");
    static final Instant T5 = Instant.parse("2026-03-05T12:00:00Z");
    static final JobId A = JobId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");
    static final JobId B = JobId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b12");
    static final BatchId BATCH = BatchId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b13");
    static final GraphId GRAPH = GraphId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b14");
    static final String ARGS = "{\"b\": 1.10, \"a\": [1e400, 123456789012345678901234567890], \"\": null}";

    /**
     * A thing and its document.
     *
     * @param full an instance in which nothing is missing
     * @param bare an instance in which everything is missing that may be
     * @param unwritten the components that the document leaves out
     */
    record Form<T>(
            T full,
            T bare,
            Function<T, Map<String, @Nullable Object>> write,
            Function<JsonObjectReader, T> read,
            Set<String> unwritten) {

        Form(T full, T bare, Function<T, Map<String, @Nullable Object>> write, Function<JsonObjectReader, T> read) {
            this(full, bare, write, read, Set.of());
        }

        @Override
        public String toString() {
            return full.getClass().getSimpleName() + (unwritten.isEmpty() ? "" : " without " + unwritten);
        }
    }

    static JobInfo fullJob() {
        Map<String, String> metadata = new LinkedHashMap<>();
        metadata.put("z", "1");
        metadata.put("a", "2");
        return new JobInfo(
                A,
                "mail",
                JobStatus.RUNNING,
                "q",
                Optional.of("gpu"),
                Priority.HIGH,
                Optional.of(Priority.CRITICAL),
                3,
                7,
                1,
                Optional.of("node-1"),
                ARGS,
                Optional.of("[1.0]"),
                Optional.of("error"),
                Optional.of("earlier"),
                Optional.of("key"),
                List.of("t1", "t2"),
                Optional.of(new JobInfo.Progress(40, Optional.of("half"))),
                metadata,
                T1,
                T2,
                Optional.of(T3),
                Optional.of(T4),
                Optional.of("because"),
                Optional.of(T5),
                Optional.of(Duration.ofMillis(1500)),
                List.of(new JobInfo.Dependency(B, Optional.of(JobStatus.FAILED), true)),
                Optional.of(BATCH),
                Optional.of("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
    }

    static JobInfo bareJob() {
        return new JobInfo(
                A,
                "mail",
                JobStatus.PENDING,
                "default",
                Optional.empty(),
                Priority.NORMAL,
                Optional.empty(),
                0,
                1,
                0,
                Optional.empty(),
                "null",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Map.of(),
                T1,
                T1,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(new JobInfo.Dependency(B, Optional.empty(), false)),
                Optional.empty(),
                Optional.empty());
    }

    private static CronInfo cron(boolean full) {
        return new CronInfo(
                new CronDefinition(
                        "nightly",
                        "0 6 * * MON",
                        "Europe/Berlin",
                        full ? Misfire.CATCH_UP : Misfire.SKIP,
                        full ? 25 : 10,
                        Overlap.SKIP,
                        full ? Duration.ofSeconds(90) : Duration.ZERO,
                        "mail",
                        full ? ARGS : "null",
                        full ? new JobOptions("q", "gpu", Priority.LOW, 4, 2, Duration.ofMinutes(5)) : JobOptions.NONE),
                full ? CronInfo.Source.DYNAMIC : CronInfo.Source.STATIC,
                full ? Optional.of(T1) : Optional.empty(),
                full ? Optional.of(T2) : Optional.empty(),
                full ? Optional.of(T3) : Optional.empty(),
                full ? Optional.of(T4) : Optional.empty(),
                full ? Optional.of(A) : Optional.empty(),
                full ? Optional.of("problem") : Optional.empty(),
                full ? T1 : T2);
    }

    private static RunInfo run(boolean full) {
        RunStatus status = full ? RunStatus.BLOCKED_MISSING_VERSION : RunStatus.PENDING;
        RunInfo.Builder run = RunInfo.builder(A, "order", "1.2", status, full ? ARGS : "null", T2, T3);
        if (full) {
            run.reason(Optional.of("reason"))
                    .result(Optional.of("1.10"))
                    .error(Optional.of("error"))
                    .key(Optional.of("key"))
                    .parent(Optional.of(B))
                    .continuedAs(Optional.of(A))
                    .awaiting(List.of("paid", "sent"))
                    .wakeAt(Optional.of(T1))
                    .cancelRequested(true)
                    .node(Optional.of("node-1"))
                    .finishedAt(Optional.of(T4));
        }
        return run.build();
    }

    private static StepInfo step(boolean full) {
        StepInfo.Builder step =
                StepInfo.builder("2.0.1", "charge", "step", "completed", T2).attempt(3);
        if (full) {
            step.node(Optional.of("node-1"))
                    .result(Optional.of(ARGS))
                    .error(Optional.of("error"))
                    .dueAt(Optional.of(T1))
                    .compensation(Optional.of("refund"));
        }
        return step.build();
    }

    private static GraphInfo graph(boolean full) {
        GraphInfo.Builder graph = GraphInfo.builder(GRAPH, GraphStatus.FAILED, 8, 2, T1);
        if (full) {
            graph.name(Optional.of("import"))
                    .key(Optional.of("key"))
                    .cancelRequested(true)
                    .reason(Optional.of("reason"))
                    .finishedAt(Optional.of(T2));
        }
        return graph.build();
    }

    private static TaskInfo task(boolean full) {
        TaskInfo.Builder task = TaskInfo.builder(
                        "load",
                        "mail",
                        TaskStatus.SKIPPED,
                        A,
                        Trigger.ANY_FAILED,
                        "q",
                        full ? "gpu" : "",
                        Priority.LOW,
                        full ? ARGS : "null")
                .attempt(2);
        if (full) {
            task.dependsOn(List.of(new TaskRequest.Dependency("x", true), new TaskRequest.Dependency("y", false)))
                    .maxAttempts(Optional.of(4))
                    .timeout(Optional.of(Duration.ofMillis(90_500)))
                    .node(Optional.of("node-1"))
                    .result(Optional.of("{\"x\": 1.10}"))
                    .error(Optional.of("error"))
                    .reason(Optional.of("reason"))
                    .startedAt(Optional.of(T1))
                    .finishedAt(Optional.of(T2));
        }
        return task.build();
    }

    private static BatchInfo batch(boolean full) {
        BatchInfo.Builder batch = BatchInfo.builder(BATCH, "import", BatchStatus.SUCCEEDED, "success_rate", T1);
        if (full) {
            batch.successRate(Optional.of(0.95))
                    .cancelRequested(true)
                    .counts(Optional.of(new BatchCounts(1, 2, 3, 4, 5)))
                    .completionJob(Optional.of(A))
                    .decidingJob(Optional.of(B))
                    .sealedAt(Optional.of(T2))
                    .closedAt(Optional.of(T3));
        }
        return batch.build();
    }

    private static NodeInfo node(boolean full) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("zone", "eu");
        labels.put("a", "b");
        return new NodeInfo(
                "node-1",
                UUID.fromString("11111111-2222-3333-4444-555555555555"),
                full ? Optional.of("name") : Optional.empty(),
                NodeStatus.ACTIVE,
                NodeStatus.DEAD,
                full ? EnumSet.of(NodeRole.WORKER, NodeRole.GATEWAY) : Set.of(),
                full ? Optional.of("10.0.0.1:80") : Optional.empty(),
                T1,
                T2,
                Duration.ofMillis(1234),
                Duration.ofSeconds(5),
                full ? Optional.of(List.of("q1", "q2")) : Optional.empty(),
                full ? List.of("gpu") : List.of(),
                full ? labels : Map.of(),
                full ? List.of("mail") : List.of(),
                full ? List.of(function()) : List.of(),
                full ? List.of(new ExecutorInfo("default", "threads", 8, 2, 1)) : List.of(),
                full ? List.of("other") : List.of(),
                3,
                4,
                0.25,
                1L << 40,
                full ? Optional.of("1.0") : Optional.empty());
    }

    private static PublishedFunction function() {
        return new PublishedFunction(
                "place_order",
                "mutation",
                List.of("buyer", "seller"),
                Duration.ofSeconds(30),
                Optional.of("10 per 1m, key USER"),
                Optional.of("Map<String, Order>"),
                "void");
    }

    private static JobMetrics metrics(boolean full) {
        Optional<JobMetrics.Percentiles> times =
                full ? Optional.of(new JobMetrics.Percentiles(1.5, 2.5, 3.5)) : Optional.empty();
        Optional<JobMetrics.Percentiles> others =
                full ? Optional.of(new JobMetrics.Percentiles(4.5, 5.5, 6.5)) : Optional.empty();
        return new JobMetrics(
                T1,
                T2,
                Duration.ofMillis(1234),
                List.of(
                        new JobMetrics.Row("a", Optional.empty(), 1, 2, 3, 4, times, others, 5),
                        new JobMetrics.Row("a", Optional.of("mail"), 1, 2, 3, 4, times, others, 5),
                        new JobMetrics.Row("b", Optional.empty(), 6, 7, 8, 9, others, times, 10),
                        new JobMetrics.Row("c", Optional.of("lonely"), 6, 7, 8, 9, times, times, 10)));
    }

    private static ConcurrencyGroupUsage group(boolean full) {
        return new ConcurrencyGroupUsage(
                "key/mail/acme",
                "key",
                full ? Optional.of("mail") : Optional.empty(),
                full ? Optional.of("acme") : Optional.empty(),
                full ? Optional.of(3) : Optional.empty(),
                full ? Optional.of(new JobRate(90, Duration.ofMillis(61_001), 7)) : Optional.empty(),
                new JobCount(1, full),
                new JobCount(2, !full),
                full ? Optional.of(T1) : Optional.empty());
    }

    private static MinuteMetrics minutes(boolean full) {
        Optional<MinuteMetrics.Times> ran = full ? Optional.of(new MinuteMetrics.Times(1.5, 2.5)) : Optional.empty();
        Optional<MinuteMetrics.Times> waited = full ? Optional.of(new MinuteMetrics.Times(3.5, 4.5)) : Optional.empty();
        return new MinuteMetrics(
                T1,
                T3,
                List.of(new MinuteMetrics.Queue(
                        "a",
                        List.of(new MinuteMetrics.Minute(
                                T2, 1, 2, 3, 4, ran, waited, full ? Optional.of(5L) : Optional.empty())))));
    }

    private static ApiKeyInfo key(boolean full) {
        return new ApiKeyInfo(
                "abcdefghijkl",
                "name",
                full ? Scope.ADMIN : Scope.READ,
                full ? Set.of("b", "a") : Set.of(),
                full ? NamePatterns.of("b_*", "a") : NamePatterns.of(),
                full ? Optional.of("t") : Optional.empty(),
                T1,
                full ? Optional.of(T2) : Optional.empty(),
                full ? Optional.of(T3) : Optional.empty(),
                full ? Optional.of(T4) : Optional.empty(),
                full ? Optional.of("mnopqrstuvwx") : Optional.empty(),
                ApiKeyInfo.Status.REVOKED);
    }

    static Stream<Form<?>> forms() {
        return Stream.of(
                new Form<>(fullJob(), bareJob(), JobDocument::write, JobDocument::read),
                new Form<>(
                        fullJob(),
                        bareJob(),
                        JobDocument::inList,
                        JobDocument::read,
                        Set.of(
                                "liftedTo",
                                "earlierError",
                                "metadata",
                                "waitingReason",
                                "expiresAt",
                                "timeout",
                                "dependencies",
                                "trace")),
                form(
                        new Overview(
                                T1,
                                Map.of(
                                        JobStatus.PENDING,
                                        new JobCount(10_000, false),
                                        JobStatus.FAILED,
                                        new JobCount(2, true)),
                                minutes(true).queues().get(0).minutes(),
                                Map.of(NodeStatus.ACTIVE, 2L, NodeStatus.STALE, 0L),
                                List.of(new LeaderInfo("scheduler", Optional.of("n"), 2, 1, T1, T2, false)),
                                List.of(new Finding("no_worker", Severity.CRITICAL, "No node runs jobs", "nodes"))),
                        OverviewDocument::write,
                        OverviewDocument::read),
                new Form<>(
                        new ConcurrencyGroupUsage.Page(List.of(group(false), group(true)), Optional.of("key/a/b")),
                        new ConcurrencyGroupUsage.Page(List.of(), Optional.empty()),
                        ConcurrencyGroupDocument::write,
                        ConcurrencyGroupDocument::read),
                new Form<>(
                        group(true),
                        group(false),
                        ConcurrencyGroupDocument::write,
                        ConcurrencyGroupDocument::readGroup),
                new Form<>(
                        new RateLimitUsage("user/login/ada", 3, Optional.of(10), Duration.ofMillis(60_001), T1),
                        new RateLimitUsage("global/sms", 0, Optional.empty(), Duration.ofSeconds(1), T2),
                        RateLimitDocument::write,
                        RateLimitDocument::read),
                new Form<>(
                        new CronTick(T1, Optional.of(A), Optional.of(JobStatus.FAILED), Optional.of(T2)),
                        new CronTick(T1, Optional.empty(), Optional.empty(), Optional.empty()),
                        CronTickDocument::write,
                        CronTickDocument::read),
                new Form<>(minutes(true), minutes(false), MinutesDocument::write, MinutesDocument::read),
                new Form<>(
                        new CallerInfo(
                                "key:a",
                                Scope.ADMIN,
                                NamePatterns.ALL,
                                Optional.of("acme"),
                                true,
                                CallerInfo.Auth.TOKEN,
                                Optional.of("n"),
                                "1.0"),
                        new CallerInfo(
                                "jwt:b",
                                Scope.READ,
                                NamePatterns.of("a"),
                                Optional.empty(),
                                false,
                                CallerInfo.Auth.KEY,
                                Optional.empty(),
                                "2.0"),
                        CallerDocument::write,
                        CallerDocument::read),
                new Form<>(
                        new JobPage(List.of(bareJob(), fullJob()), Optional.of(A), Optional.of(T1)),
                        new JobPage(List.of(), Optional.empty(), Optional.empty()),
                        JobPageDocument::write,
                        JobPageDocument::read),
                new Form<>(
                        new JobAttempt(
                                2,
                                Optional.of("n"),
                                Optional.of(T1),
                                T2,
                                JobAttempt.Outcome.CRASHED,
                                Optional.of("error")),
                        new JobAttempt(
                                0, Optional.empty(), Optional.empty(), T2, JobAttempt.Outcome.OTHER, Optional.empty()),
                        AttemptDocument::write,
                        AttemptDocument::read),
                form(new LogLine(1L << 40, T1, 2, "warn", "text\nmore"), LogLineDocument::write, LogLineDocument::read),
                form(new Enqueued(A, true), EnqueuedDocument::write, EnqueuedDocument::read),
                form(new BulkCancellation(3, 4), CancellationDocument::write, CancellationDocument::readBulk),
                form(
                        new RetryableJobs("mail", JobStatus.EXPIRED, 1L << 40),
                        RetryableJobsDocument::write,
                        RetryableJobsDocument::read),
                new Form<>(
                        new QueueInfo(
                                "q",
                                Optional.of(T1),
                                1,
                                2,
                                3,
                                4,
                                Optional.of(T2),
                                QueueLimit.of(5, new JobRate(90, Duration.ofMillis(61_001), 7)),
                                Set.of(JobStatus.PENDING, JobStatus.WAITING)),
                        QueueInfo.empty("q"),
                        QueueDocument::write,
                        QueueDocument::read),
                new Form<>(
                        QueueLimit.of(0, new JobRate(5, Duration.ofSeconds(1), 3)),
                        QueueLimit.NONE,
                        QueueLimitDocument::write,
                        QueueLimitDocument::read),
                new Form<>(
                        new JobOptions("q", "gpu", Priority.LOW, 4, 2, Duration.ofMinutes(5)),
                        JobOptions.NONE,
                        JobOptionsDocument::write,
                        JobOptionsDocument::read),
                new Form<>(
                        new KnownNames(Set.of("a", "b"), Set.of("q", "p"), Set.of("p")),
                        new KnownNames(Set.of(), Set.of(), Set.of()),
                        KnownNamesDocument::write,
                        KnownNamesDocument::read),
                new Form<>(cron(true), cron(false), CronDocument::write, CronDocument::read),
                new Form<>(
                        new DaemonInfo(
                                "d",
                                Optional.of("n1"),
                                DaemonInfo.Status.BACKOFF,
                                Optional.of("n2"),
                                Optional.of(1L << 40),
                                3,
                                Optional.of(T1),
                                Optional.of("error"),
                                Optional.of(T2)),
                        new DaemonInfo(
                                "d",
                                Optional.empty(),
                                DaemonInfo.Status.FREE,
                                Optional.empty(),
                                Optional.empty(),
                                0,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()),
                        DaemonDocument::write,
                        DaemonDocument::read),
                new Form<>(run(true), run(false), RunDocument::write, RunDocument::read),
                new Form<>(
                        run(true),
                        run(false),
                        run -> RunDocument.write(run, Optional.of("because"), List.of(step(true))),
                        RunDocument::read),
                new Form<>(step(true), step(false), StepDocument::write, StepDocument::read),
                new Form<>(
                        DefinitionInfo.builder("order", "1", "sig", Workflow.Lifecycle.STAGING, T1)
                                .steps(List.of("a", "b"))
                                .live(true)
                                .paused(true)
                                .build(),
                        DefinitionInfo.builder("order", "1", "sig", Workflow.Lifecycle.ACTIVE, T1)
                                .build(),
                        DefinitionDocument::write,
                        DefinitionDocument::read),
                new Form<>(graph(true), graph(false), GraphDocument::write, GraphDocument::read),
                new Form<>(
                        new GraphTree(graph(true), List.of(task(false), task(true))),
                        new GraphTree(graph(false), List.of(task(false))),
                        tree -> GraphDocument.write(tree, Map.of("load", "because")),
                        GraphDocument::readTree),
                new Form<>(task(true), task(false), task -> TaskDocument.write(task, null), TaskDocument::read),
                new Form<>(batch(true), batch(false), BatchDocument::write, BatchDocument::read),
                new Form<>(node(true), node(false), NodeDocument::write, NodeDocument::read),
                new Form<>(
                        new LeaderInfo("scheduler", Optional.of("n"), 1L << 40, 2, T1, T2, false),
                        new LeaderInfo("scheduler", Optional.empty(), 0, 0, T1, T2, true),
                        LeaderDocument::write,
                        LeaderDocument::read),
                new Form<>(key(true), key(false), ApiKeyDocument::write, ApiKeyDocument::read),
                form(new CreatedKey(key(true), "text"), ApiKeyDocument::write, ApiKeyDocument::readCreated),
                new Form<>(
                        new KeyRequest(
                                "name",
                                Scope.WRITE,
                                Set.of("b", "a"),
                                NamePatterns.of("mail_*"),
                                Optional.of("t"),
                                Optional.of(Duration.ofDays(3))),
                        KeyRequest.of("name", Scope.READ),
                        KeyRequestDocument::write,
                        KeyRequestDocument::read),
                new Form<>(
                        new AuditEntry(
                                1L << 40,
                                T1,
                                "key:1",
                                "name",
                                Optional.of("10.0.0.1"),
                                Optional.of("t"),
                                "queues.pause",
                                "q",
                                "{\"a\": 1.10}",
                                Optional.of("r"),
                                "n",
                                Optional.of("done")),
                        new AuditEntry(
                                1,
                                T1,
                                "key:1",
                                "name",
                                Optional.empty(),
                                Optional.empty(),
                                "queues.pause",
                                "",
                                "{}",
                                Optional.empty(),
                                "n",
                                Optional.empty()),
                        AuditDocument::write,
                        AuditDocument::read),
                form(new LockInfo("l", "n", T1, T2, 1L << 40), LockDocument::write, LockDocument::read),
                new Form<>(metrics(true), metrics(false), MetricsDocument::write, MetricsDocument::read));
    }

    static <T> Form<T> form(
            T thing, Function<T, Map<String, @Nullable Object>> write, Function<JsonObjectReader, T> read) {
        return new Form<>(thing, thing, write, read);
    }
}
