package dev.muster.document.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.batch.BatchCondition;
import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStatus;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskRequest;
import dev.muster.graph.Trigger;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Priority;
import dev.muster.job.QueueLimit;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Overlap;
import dev.muster.testing.Allocated;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflows.RunQuery;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequestDocumentsTest {
    private static final JobId A = JobId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");
    private static final JobId B = JobId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b12");
    private static final BatchId BATCH = BatchId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b13");
    private static final RawJson ARGS = new RawJson("{\"b\": 1.10, \"a\": 1e400}");
    private static final Instant T = Instant.parse("2026-03-01T12:00:00.123456Z");

    /** Writes values with {@link Json}: enough for the args of these tests. */
    private static final JsonCodec CODEC = new JsonCodec() {
        @Override
        public String write(@Nullable Object value) {
            return Json.write(value);
        }

        @Override
        public @Nullable Object read(String json, Type type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void check(String json, Type type) {
            throw new UnsupportedOperationException();
        }
    };

    private static <T> T roundTrip(
            T request, Function<T, Map<String, @Nullable Object>> write, Function<JsonObjectReader, T> read) {
        String document = Json.write(write.apply(request));
        T again = read.apply(JsonObjectReader.read(document));

        assertThat(Json.write(write.apply(again))).isEqualTo(document);
        return again;
    }

    private static JobRequest roundTrip(JobRequest request) {
        return roundTrip(request, job -> JobRequestDocument.write(job, CODEC), JobRequestDocument::read);
    }

    private static JobRequest fullJob() {
        return JobRequest.of(JobType.of("mail", RawJson.class, Object.class), ARGS)
                .id(A)
                .queue("q")
                .capability("gpu")
                .forbid("spot")
                .priority(Priority.HIGH)
                .key("key")
                .tags("t1", "t2")
                .metadata("k", "v")
                .maxAttempts(7)
                .maxCrashes(0)
                .timeout(Duration.ofMillis(90_500))
                .dependsOn(A, B)
                .dependsOnAnyOutcome(B)
                .batch(BATCH)
                .trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    }

    @Test
    void jobRequestsKeepEverything() {
        JobRequest read = roundTrip(fullJob()
                .delay(Duration.ofHours(1))
                .expiresIn(Duration.ofDays(3))
                .concurrencyKey("c"));

        assertThat(read)
                .usingRecursiveComparison()
                .isEqualTo(fullJob()
                        .delay(Duration.ofHours(1))
                        .expiresIn(Duration.ofDays(3))
                        .concurrencyKey("c"));
        JobRequest other = fullJob().at(T).expiresAt(T).fairKey("f");
        assertThat(roundTrip(other)).usingRecursiveComparison().isEqualTo(other);
        JobRequest fifo = fullJob().fifo("f");
        assertThat(roundTrip(fifo)).usingRecursiveComparison().isEqualTo(fifo);
        JobRequest bare = JobRequest.of("mail");
        assertThat(roundTrip(bare)).usingRecursiveComparison().isEqualTo(bare);
        JobRequest anywhere = bare.options(JobOptions.NONE.capability(""));
        assertThat(roundTrip(anywhere)).usingRecursiveComparison().isEqualTo(anywhere);
    }

    /** Whoever adds a field to requests has to decide whether documents carry it. */
    @Test
    void everyFieldOfAJobRequestIsKnownToTheDocument() {
        // Nobody says over HTTP who they are: the gateway does.
        Set<String> notAsTheyAre = Set.of("options", "requester");
        List<String> written = JobRequestDocument.fields();

        for (Field field : JobRequest.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !notAsTheyAre.contains(field.getName())) {
                assertThat(written).contains(snakeCase(field.getName()));
            }
        }
        Arrays.stream(JobOptions.class.getRecordComponents())
                .forEach(option -> assertThat(written).contains(snakeCase(option.getName())));
    }

    private static String snakeCase(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    @Test
    void argsOfAnyKindBecomeJson() {
        JobRequest read = roundTrip(JobRequest.of("mail", Map.of("to", "a")));

        assertThat(read.args()).contains(new RawJson("{\"to\":\"a\"}"));
    }

    @Test
    void placementOfAJobIsReadLikeThatOfATask() {
        JobRequest read = JobRequestDocument.read(JsonObjectReader.read(
                "{\"name\":\"mail\",\"capability\":\"gpu\",\"placement\":{\"require\":[\"zone=eu\"],"
                        + "\"not_nodes\":[\"n1\"]}}"));

        assertThat(read.placement().text()).isEqualTo("gpu&zone=eu~n1");
    }

    private static void assertRefused(String text, Function<JsonObjectReader, ?> read, String message) {
        assertThatThrownBy(() -> read.apply(JsonObjectReader.read(text)))
                .isInstanceOf(InvalidDocument.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void refusalsOfRequestsNameTheField() {
        Function<JsonObjectReader, ?> job = JobRequestDocument::read;
        assertRefused("{}", job, "name: is missing");
        assertRefused("{\"name\":\"a b\"}", job, "name: ");
        assertRefused("{\"name\":\"a\",\"prioritty\":1}", job, "prioritty: is no field here; did you mean 'priority'?");
        assertRefused("{\"name\":\"a\",\"priority\":99}", job, "priority: priority '99' is unknown");
        assertRefused("{\"name\":\"a\",\"max_attempts\":0}", job, "max_attempts: maxAttempts of job 'a' must be 1");
        assertRefused("{\"name\":\"a\",\"timeout\":5}", job, "timeout: must be a text, not a number");
        assertRefused("{\"name\":\"a\",\"depends_on\":[\"x\"]}", job, "depends_on[0]: 'x' is not a job id");
        assertRefused("{\"name\":\"a\",\"delay\":\"1s\",\"at\":\"" + T + "\"}", job, "at: job 'a' has a delay");
        assertRefused("{\"name\":\"a\",\"placement\":{\"require\":[\"a b\"]}}", job, "placement.require: ");
        assertRefused("{\"name\":\"a\",\"tags\":[\"a b\"]}", job, "tags: ");
        assertRefused("{\"name\":\"a\",\"key\":\"\"}", job, "key: the key of job 'a' must have");
        assertRefused("{\"max_running\":-1}", QueueLimitDocument::read, "max_running: a queue's limit is 0 to");
        assertRefused("{\"rate\":\"fast\"}", QueueLimitDocument::read, "rate: 'fast' is no rate");
        assertRefused("{\"burst\":1}", QueueLimitDocument::read, "burst: goes with a rate only");
        assertRefused("{\"rate\":\"5/s\",\"burst\":9}", QueueLimitDocument::read, "burst: the burst of a rate");
        assertRefused("{\"max\":1}", QueueLimitDocument::read, "max: is no field here");
        assertRefused(
                "{\"name\":\"c\",\"expression\":\"often\",\"job\":\"a\"}", CronSpecDocument::read, "expression: ");
        assertRefused(
                "{\"name\":\"c\",\"expression\":\"@daily\",\"job\":\"a\",\"zone\":\"Mars\"}",
                CronSpecDocument::read,
                "zone: there is no time zone 'Mars'");
        assertRefused(
                "{\"name\":\"b\",\"condition\":\"most\"}",
                BatchRequestDocument::read,
                "condition: must be one of all, any, success_rate, decided, not \"most\"");
        assertRefused(
                "{\"name\":\"b\",\"condition\":\"any\",\"success_rate\":0.5}",
                BatchRequestDocument::read,
                "success_rate: goes with the condition \"success_rate\" only");
        assertRefused(
                "{\"name\":\"b\",\"success_rate\":1.5}", BatchRequestDocument::read, "success_rate: the success rate");
        assertRefused(
                "{\"name\":\"b\",\"on_complete\":{\"name\":\"a\",\"x\":1}}",
                BatchRequestDocument::read,
                "on_complete.x: is no field here");
        assertRefused("{\"workflow_name\":\"w\",\"delay\":\"x\"}", RunRequestDocument::read, "delay: duration 'x'");
    }

    @Test
    void runRequestsKeepEverything() {
        RunRequest full = RunRequest.of("order", ARGS)
                .version("1.2")
                .key("key")
                .delay(Duration.ofMinutes(5))
                .priority(Priority.LOW)
                .id(A);
        RunRequest bare = RunRequest.of("order", null);

        for (RunRequest request : List.of(full, bare)) {
            assertThat(roundTrip(request, run -> RunRequestDocument.write(run, CODEC), RunRequestDocument::read))
                    .isEqualTo(request);
        }
        String document = Json.write(RunRequestDocument.write(full, CODEC));
        RecordChanges.of(full)
                .forEach((component, changed) -> assertThat(
                                Json.write(RunRequestDocument.write((RunRequest) changed, CODEC)))
                        .as(component)
                        .isNotEqualTo(document));
    }

    @Test
    void cronSpecsKeepEverything() {
        CronSpec full = CronSpec.of(
                        "nightly",
                        "0 6 * * MON",
                        JobRequest.of(JobType.of("mail", RawJson.class, Object.class), ARGS)
                                .options(new JobOptions("q", "gpu", Priority.LOW, 4, 2, Duration.ofMinutes(5))))
                .zone(ZoneId.of("Europe/Berlin"))
                .catchUp(25)
                .overlap(Overlap.SKIP)
                .jitter(Duration.ofSeconds(90));
        assertThat(roundTrip(full, cron -> CronSpecDocument.write(cron, CODEC), CronSpecDocument::read))
                .usingRecursiveComparison()
                .isEqualTo(full);

        CronSpec least = CronSpecDocument.read(
                JsonObjectReader.read("{\"name\":\"nightly\",\"expression\":\"@daily\",\"job\":\"mail\"}"));
        assertThat(least)
                .usingRecursiveComparison()
                .isEqualTo(CronSpec.of(
                        "nightly",
                        "@daily",
                        JobRequest.of(JobType.of("mail", RawJson.class, Object.class), new RawJson("null"))));
    }

    @Test
    void batchRequestsKeepEverything() {
        BatchRequest plain = BatchRequest.of("import");
        for (BatchRequest request : List.of(
                plain,
                plain.condition(BatchCondition.any()),
                plain.condition(BatchCondition.successRate(0.95)),
                plain.condition(BatchCondition.decidedBy(JobRequest.of("judge", ARGS)))
                        .onComplete(JobRequest.of("report", ARGS).queue("q")))) {
            BatchRequest read =
                    roundTrip(request, batch -> BatchRequestDocument.write(batch, CODEC), BatchRequestDocument::read);
            assertThat(read).usingRecursiveComparison().isEqualTo(request);
        }
        Map<String, @Nullable Object> withJobs = BatchRequestDocument.write(plain, List.of(fullJob()), CODEC);
        JsonObjectReader fields = JsonObjectReader.read(Json.write(withJobs));
        assertThat(BatchRequestDocument.read(fields)).usingRecursiveComparison().isEqualTo(plain);
        assertThat(BatchRequestDocument.readJobs(fields))
                .get()
                .usingRecursiveComparison()
                .isEqualTo(List.of(fullJob()));
        assertThat(BatchRequestDocument.readJobs(JsonObjectReader.read("{\"name\":\"b\"}")))
                .isEmpty();
        assertThat(BatchRequestDocument.readJobs(JsonObjectReader.read("{\"name\":\"b\",\"jobs\":[]}")))
                .contains(List.of());
    }

    @Test
    void graphsAreReadAsTheyWereWritten() {
        GraphRequest full = GraphRequest.of(
                        TaskRequest.of("a", "fetch"),
                        TaskRequest.of("b", "load", new RawJson("{\"x\": 1.10}"))
                                .dependsOn("a")
                                .dependsOnOptional("c")
                                .trigger(Trigger.ANY_FAILED)
                                .priority(Priority.LOW)
                                .queue("q")
                                .capability("gpu")
                                .require("zone=eu")
                                .forbid("spot")
                                .onNodes("n1")
                                .notOnNodes("n2")
                                .maxAttempts(3)
                                .timeout(Duration.ofMillis(1500)))
                .name("import")
                .key("key")
                .id(GraphId.next());

        for (GraphRequest request : List.of(full, GraphRequest.of(TaskRequest.of("a", "fetch")))) {
            assertThat(GraphRequest.fromJson(Json.write(GraphRequestDocument.write(request, CODEC))))
                    .isEqualTo(request);
        }
    }

    @Test
    void queriesKeepEverything() {
        JobQuery jobs = new JobQuery(
                Set.of(A, B),
                Set.of(JobStatus.FAILED, JobStatus.EXPIRED),
                Optional.of("mail"),
                Optional.of("q"),
                Set.of("t1", "t2"),
                Map.of("k", "v", "a.b", "c,d"),
                Optional.of("order-17"),
                Optional.of(BATCH),
                Optional.of(A),
                7);
        assertThat(JobQueryDocument.read(JobQueryDocument.write(jobs))).isEqualTo(jobs);
        assertThat(JobQueryDocument.read(Map.of())).isEqualTo(JobQuery.all());
        RunQuery runs = RunQuery.all()
                .workflow("order")
                .version("1")
                .status(RunStatus.FAILED, RunStatus.PENDING)
                .before(A)
                .limit(7);
        assertThat(RunQueryDocument.read(RunQueryDocument.write(runs))).isEqualTo(runs);
        assertThat(RunQueryDocument.read(Map.of())).isEqualTo(RunQuery.all());
        GraphQuery graphs = GraphQuery.all()
                .name("import")
                .status(GraphStatus.FAILED)
                .before(GraphId.next())
                .limit(7);
        assertThat(GraphQueryDocument.read(GraphQueryDocument.write(graphs))).isEqualTo(graphs);
        assertThat(GraphQueryDocument.read(Map.of())).isEqualTo(GraphQuery.all());
        BatchQuery batches = BatchQuery.all()
                .status(BatchStatus.OPEN)
                .name("import")
                .before(BATCH)
                .limit(7);
        assertThat(BatchQueryDocument.read(BatchQueryDocument.write(batches))).isEqualTo(batches);
        assertThat(BatchQueryDocument.read(Map.of())).isEqualTo(BatchQuery.all());
    }

    @Test
    void statusesMayHaveCommasBetweenThem() {
        assertThat(JobQueryDocument.read(Map.of("status", List.of("failed,expired", "pending")))
                        .statuses())
                .containsExactlyInAnyOrder(JobStatus.FAILED, JobStatus.EXPIRED, JobStatus.PENDING);
    }

    @Test
    void metadataMayBeAskedForWithAParameterWhoseNameIsAlwaysTheSame() {
        assertThat(JobQueryDocument.read(Map.of(
                                "metadata", List.of("customer=42", "note=a=b"), "metadata.region", List.of("eu")))
                        .metadata())
                .isEqualTo(Map.of("customer", "42", "note", "a=b", "region", "eu"));
        assertQueryRefused(
                Map.of("metadata", List.of("customer")), "metadata: is written metadata=KEY=VALUE, not \"customer\"");
        assertQueryRefused(Map.of("metadata", List.of("=42")), "metadata: is written metadata=KEY=VALUE");
        assertQueryRefused(
                Map.of("metadata", List.of("customer=42"), "metadata.customer", List.of("43")),
                "metadata: asks twice for customer");
    }

    @Test
    void refusalsOfQueriesNameTheParameter() {
        assertQueryRefused(Map.of("stauts", List.of("x")), "stauts: is no parameter here; did you mean 'status'?");
        assertQueryRefused(Map.of("status", List.of("x")), "status: status 'x' is unknown");
        assertQueryRefused(Map.of("limit", List.of("0")), "limit: limit must be 1 to 10000, not 0");
        assertQueryRefused(Map.of("limit", List.of("ten")), "limit: must be a whole number, not \"ten\"");
        assertQueryRefused(Map.of("name", List.of("a", "b")), "name: may be given once only");
        assertQueryRefused(Map.of("before", List.of("x")), "before: 'x' is not a job id");
        assertQueryRefused(Map.of("name", List.of("\0")), "name: must not contain the character NUL");
        assertThatThrownBy(() -> BatchQueryDocument.read(Map.of("limit", List.of("1001"))))
                .hasMessage("limit: must be 1 to 1000, not 1001");
        assertThatThrownBy(() -> RunQueryDocument.read(Map.of("limit", List.of("1001"))))
                .hasMessage("limit: must be 1 to 1000, not 1001");
        assertThatThrownBy(() -> GraphQueryDocument.read(Map.of("limit", List.of("1001"))))
                .hasMessage("limit: must be 1 to 1000, not 1001");
        String ids = IntStream.rangeClosed(0, 1_000)
                .mapToObj(i -> JobId.next().toString())
                .collect(Collectors.joining(","));
        assertQueryRefused(Map.of("id", List.of(ids)), "id: may have 1000 values at most, and was given 1001");
        assertQueryRefused(
                Map.of("tag", Collections.nCopies(1_001, "a")),
                "tag: may have 1000 values at most, and was given 1001");
        assertThatThrownBy(() -> GraphQueryDocument.read(Map.of("status", List.of("odd"))))
                .hasMessage("status: must be one of running, completed, failed, cancelled, not \"odd\"");
    }

    private static void assertQueryRefused(Map<String, List<String>> parameters, String message) {
        assertThatThrownBy(() -> JobQueryDocument.read(parameters))
                .isInstanceOf(InvalidDocument.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void limitsWithoutABurstHaveTheUsualOne() {
        QueueLimit read = QueueLimitDocument.read(JsonObjectReader.read("{\"rate\":\"100/s\"}"));

        assertThat(read.rate().orElseThrow().burst()).isEqualTo(10);
    }

    @Test
    void readingMetadataTakesAsMuchMoreWorkAsThereIsMoreOfIt() {
        Map<String, Object> metadata =
                IntStream.range(0, 20_000).boxed().collect(Collectors.toMap(i -> "m" + i, i -> "v"));
        JsonObjectReader fields = JsonObjectReader.of(Map.of("name", "a", "metadata", metadata));

        long bytes = Allocated.by(
                () -> assertThat(JobRequestDocument.read(fields).metadata()).hasSize(20_000));

        assertThat(bytes).isLessThan(64 << 20);
    }

    @Test
    void theJobsOfABatchAreCountedBeforeTheyAreRead() {
        JsonObjectReader fields =
                JsonObjectReader.of(Map.of("name", "a", "jobs", Collections.nCopies(10_001, Map.of("nonsense", 1))));

        assertThatThrownBy(() -> BatchRequestDocument.readJobs(fields))
                .hasMessage("jobs: must have 10000 jobs at most, not 10001");
    }
}
