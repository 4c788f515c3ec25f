package dev.muster.internal.job.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.Muster;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchRequest;
import dev.muster.engine.EngineIT;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.job.BatchId;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.KeyConflict;
import dev.muster.job.RawJson;
import dev.muster.job.UnreadablePayload;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.schedule.CronSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Args and results encrypted, with a real database to look for them in. */
class EncryptionIT extends EngineIT {
    private static final String MARKER = "xyzzy-4711-plugh";
    private static final String ONE = "bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";
    private static final String TWO = "bWF0ZXJpYWwtdHdvLW1hdGVyaWFsLXR3by1tYXQtMjI=";

    private static final Map<String, String> PLAIN = Map.of();
    private static final Map<String, String> FIRST = Map.of("encryption.keys", "k1=" + ONE);
    private static final Map<String, String> WRONG = Map.of("encryption.keys", "k1=" + TWO);
    private static final Map<String, String> SECOND = Map.of("encryption.keys", "k2=" + TWO);
    private static final Map<String, String> ROTATED =
            Map.of("encryption.keys", "k1=" + ONE + ",k2=" + TWO, "encryption.active", "k2");

    record Secret(String text) {}

    record Pin(int pin) {}

    static final JobType<Secret, Secret> ECHO = JobType.of("echo", Secret.class, Secret.class);

    /** Handlers that hand back what they were given. */
    static final class Handlers {
        private final DataSource dataSource;
        final AtomicInteger runs = new AtomicInteger();

        Handlers(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        @Job("echo")
        Secret echo(Secret args) {
            runs.incrementAndGet();
            return args;
        }

        @Job("mirror")
        Map<String, Object> mirror(Map<String, Object> args) {
            return args;
        }

        @Job("fills")
        String fills(int bytes) {
            return "x".repeat(bytes - 2);
        }

        @Job("in_transaction")
        void inTransaction(JobContext ctx, Secret args) throws Exception {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                ctx.completeIn(connection, args);
                connection.commit();
            }
        }

        @Job(value = "fails", maxAttempts = 1)
        void fails(Secret args) {
            throw new IllegalStateException("not said why");
        }

        @Job("pin")
        int pin(Pin args) {
            return args.pin();
        }
    }

    private Handlers handlers() {
        return new Handlers(database.dataSource());
    }

    /** One that only enqueues and looks. */
    private Muster client(Map<String, String> settings) {
        return builder(settings).build();
    }

    private String stored(String column, JobId id) {
        return database.column("SELECT " + column + " FROM muster_job_history WHERE id = '" + id + "'")
                .get(0);
    }

    private void makeDue() {
        database.execute("UPDATE muster_jobs SET run_at = muster_clock(), ready_at = muster_clock()");
    }

    @Test
    void theSizeOfAResultIsThatBeforeItIsEncrypted() throws Exception {
        Muster muster = node(FIRST, handlers());
        JobId full = muster.jobs().enqueue("fills", StorableJson.MAX_BYTES);
        JobId tooLarge = muster.jobs().enqueue("fills", StorableJson.MAX_BYTES + 1);

        JobInfo kept = ended(muster, full);
        assertThat(kept.status()).as(kept.error().orElse("")).isEqualTo(JobStatus.COMPLETED);
        assertThat(kept.result().orElseThrow()).hasSize(StorableJson.MAX_BYTES);
        assertThat(ended(muster, tooLarge).error().orElseThrow())
                .startsWith("its result has 1048577 bytes; at most 1048576");
    }

    @Test
    void plainTextIsNowhereInTheDatabase() throws Exception {
        Muster node = node(FIRST, handlers());
        Secret secret = new Secret(MARKER);
        List<JobId> ended = node.jobs()
                .enqueueAll(List.of(
                        JobRequest.of(ECHO, secret).key("order-1"),
                        JobRequest.of("in_transaction", secret),
                        JobRequest.of("fails", secret)));
        JobId pending = node.jobs().enqueue(JobRequest.of(ECHO, secret).delay(Duration.ofHours(1)));
        JobId cancelled = node.jobs().enqueue(JobRequest.of(ECHO, secret).delay(Duration.ofHours(1)));
        node.jobs().cancel(cancelled);
        try (Muster client = client(FIRST)) {
            // Nobody checks the type here: the job's own node finds that it does not fit.
            JobId misfit = client.jobs().enqueue(JobRequest.of("pin", new RawJson("{\"pin\": \"" + MARKER + "\"}")));
            assertThat(ended(node, misfit).error().orElseThrow())
                    .contains("args do not fit")
                    .contains("encrypted");
        }
        BatchId batch = node.batches().create(BatchRequest.of("secrets").onComplete(JobRequest.of(ECHO, secret)));
        BatchId closed = node.batches()
                .fanOut(
                        BatchRequest.of("secrets").onComplete(JobRequest.of(ECHO, secret)),
                        List.of(JobRequest.of(ECHO, secret)));
        BatchInfo info = node.batches().await(closed, Duration.ofSeconds(90));
        JobInfo completion = ended(node, info.completionJob().orElseThrow());
        assertThat(node.jobs().result(ECHO, completion)).isEqualTo(secret);
        for (JobId id : ended) {
            ended(node, id);
        }

        String everything = everyRow();
        assertThat(everything)
                .contains(
                        pending.toString(),
                        cancelled.toString(),
                        batch.toString(),
                        "order-1",
                        "aes-gcm-1",
                        "not said why")
                .doesNotContain(MARKER)
                .doesNotContain(HexFormat.of().formatHex(MARKER.getBytes(StandardCharsets.UTF_8)))
                .doesNotContain(sha256("{\"text\": \"" + MARKER + "\"}"));
        // The same search finds it where it is not encrypted.
        try (Muster client = client(PLAIN)) {
            client.jobs().enqueue(JobRequest.of(ECHO, secret).key("order-2").delay(Duration.ofHours(1)));
        }
        assertThat(everyRow()).contains(MARKER).contains(sha256("{\"text\": \"" + MARKER + "\"}"));
    }

    private String everyRow() {
        StringBuilder all = new StringBuilder();
        for (String table : database.column("SELECT quote_ident(schemaname) || '.' || quote_ident(tablename)"
                + " FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")) {
            database.column("SELECT t::text FROM " + table + " t").forEach(all::append);
        }
        return all.toString();
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void peopleWithTheKeySeePlainTextAndOthersTheEnvelope() throws Exception {
        Muster node = node(FIRST, handlers());
        JobId id = node.jobs().enqueue(ECHO, new Secret(MARKER));
        JobInfo job = ended(node, id);

        assertThat(job.args()).contains(MARKER);
        assertThat(job.result().orElseThrow()).contains(MARKER);
        assertThat(node.jobs().result(ECHO, job)).isEqualTo(new Secret(MARKER));
        assertThat(node.jobs().find(id)).contains(job);
        assertThat(node.jobs().list(JobQuery.all())).containsExactly(job);
        for (Map<String, String> settings : List.of(PLAIN, SECOND, WRONG)) {
            try (Muster client = client(settings)) {
                JobInfo seen = client.jobs().find(id).orElseThrow();
                assertThat(seen.args()).contains("\"kid\": \"k1\"").doesNotContain(MARKER);
                assertThat(seen.result().orElseThrow()).contains("\"kid\": \"k1\"");
                assertThatThrownBy(() -> client.jobs().result(ECHO, seen))
                        .isInstanceOf(UnreadablePayload.class)
                        .hasMessageContaining("the result of job " + id)
                        .hasMessageContaining("'k1'");
            }
        }
    }

    @Test
    void aKeyStandsForItsJobAlsoAfterARotation() {
        JobRequest request = JobRequest.of("echo", new RawJson("{\"text\": \"a\", \"n\": 1}"))
                .key("k");
        JobRequest same = JobRequest.of("echo", new RawJson("{\"n\":1,\"text\":\"\\u0061\"}"))
                .key("k");
        JobRequest other =
                JobRequest.of("echo", new RawJson("{\"n\":2,\"text\":\"a\"}")).key("k");
        JobId id;
        try (Muster client = client(FIRST)) {
            id = client.jobs().enqueueAll(List.of(request, same)).get(1);
            assertThat(client.jobs().enqueue(same)).isEqualTo(id);
            assertConflict(client, other, "with other arguments");
            assertThatThrownBy(() -> client.jobs()
                            .enqueueAll(List.of(
                                    request.key("fresh"),
                                    JobRequest.of("echo", new RawJson("1")).key("fresh"))))
                    .hasMessageContaining("with other arguments");
        }
        try (Muster client = client(ROTATED)) {
            assertThat(client.jobs().enqueue(same)).isEqualTo(id);
            assertConflict(client, other, "with other arguments");
        }
        for (Map<String, String> settings : List.of(PLAIN, SECOND)) {
            try (Muster client = client(settings)) {
                assertConflict(client, request, "cannot be compared here: they were encrypted with key 'k1'");
            }
        }
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(1);
    }

    private static void assertConflict(Muster client, JobRequest request, String why) {
        assertThatThrownBy(() -> client.jobs().enqueue(request))
                .isInstanceOf(KeyConflict.class)
                .hasMessageContaining(why);
    }

    @Test
    void aKeyTakenInPlainTextStandsAlsoOnceEncryptionIsOn() {
        List<String> args = List.of(
                "null",
                "{\"bb\": [1e2, 1.50, -0, 0e-3, 1.5e3, 100e-1, 123456789012345678901234567890], \"a\": \"\\u0001\\u007f é\"}",
                "{\"é\": 1, \"zz\": 2, \"ab\": 3, \"😀\": 4, \"\": {\"\\t\\\"\\\\\\/\": []}}",
                "{\"$muster\": \"aes-gcm-1\", \"kid\": \"k1\", \"data\": \"AAAA\"}",
                "[ true , false , \"\\ud83d\\ude00\" , -0.0 , 1E-7 ]");
        try (Muster plain = client(PLAIN);
                Muster encrypting = client(FIRST)) {
            for (String text : args) {
                JobRequest request = JobRequest.of("echo", new RawJson(text)).key("key of " + args.indexOf(text));
                JobId id = plain.jobs().enqueue(request);
                assertThat(encrypting.jobs().enqueue(request)).as(text).isEqualTo(id);
                assertConflict(
                        encrypting,
                        JobRequest.of("echo", new RawJson("\"other\"")).key("key of " + args.indexOf(text)),
                        "with other arguments");
            }
        }
    }

    @Test
    void plainAndEncryptedJobsLiveSideBySide() throws Exception {
        JobId before;
        JobId after;
        try (Muster plain = client(PLAIN);
                Muster encrypting = client(FIRST)) {
            before = plain.jobs().enqueue(ECHO, new Secret("before"));
            after = encrypting.jobs().enqueue(ECHO, new Secret("after"));
        }
        Muster node = node(FIRST, handlers());

        assertThat(node.jobs().result(ECHO, ended(node, before))).isEqualTo(new Secret("before"));
        assertThat(node.jobs().result(ECHO, ended(node, after))).isEqualTo(new Secret("after"));
        assertThat(stored("args", before)).contains("before");
        assertThat(stored("result", before)).contains("aes-gcm-1").doesNotContain("before");
    }

    @Test
    void argsThatLookLikeAnEnvelopeAreArgs() throws Exception {
        JobType<Map<?, ?>, Map<?, ?>> mirror = mirror();
        for (Map<String, String> settings : List.of(PLAIN, FIRST)) {
            try (Muster node = builder(settings, handlers()).build()) {
                node.start();
                for (String name : List.of("$muster", "\\u0024muster")) {
                    JobId id = node.jobs()
                            .enqueue(
                                    "mirror",
                                    new RawJson(
                                            "{\"" + name + "\": \"aes-gcm-1\", \"kid\": \"k1\", \"data\": \"AAAA\"}"));
                    JobInfo job = ended(node, id);

                    assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
                    Map<?, ?> result = node.jobs().result(mirror, job);
                    assertThat(result)
                            .hasSize(3)
                            .isEqualTo(Map.of("$muster", "aes-gcm-1", "kid", "k1", "data", "AAAA"));
                }
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static JobType<Map<?, ?>, Map<?, ?>> mirror() {
        return (JobType) JobType.of("mirror", Map.class, Map.class);
    }

    @Test
    void aNodeWithoutTheRightKeyLeavesTheJobIntact() throws Exception {
        JobId id;
        try (Muster client = client(FIRST)) {
            id = client.jobs().enqueue(JobRequest.of(ECHO, new Secret(MARKER)).maxAttempts(1));
        }
        String args = database.column("SELECT args FROM muster_jobs").get(0);
        for (Map<String, String> settings : List.of(PLAIN, WRONG, SECOND)) {
            makeDue();
            database.execute("UPDATE muster_jobs SET error = NULL");
            Handlers handlers = handlers();
            try (Muster node = builder(settings, handlers).build()) {
                node.start();
                await().until(() -> node.jobs().find(id).orElseThrow().error().isPresent());

                JobInfo job = node.jobs().find(id).orElseThrow();
                assertThat(job.status()).isEqualTo(JobStatus.PENDING);
                assertThat(job.attempt()).isZero();
                assertThat(job.crashes()).isZero();
                assertThat(job.error().orElseThrow())
                        .contains("args of job " + id)
                        .contains("'k1'");
                assertThat(job.waitingReason().orElseThrow())
                        .contains("put back in the queue by node " + node.nodeId(), "'k1'", "it is tried again at");
                assertThat(handlers.runs).hasValue(0);
                assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE ready_at > muster_clock()"
                                + " + interval '20 seconds' AND ready_at < muster_clock() + interval '31 seconds'"))
                        .isEqualTo(1);
            }
        }
        assertThat(database.column("SELECT args FROM muster_jobs")).containsExactly(args);

        makeDue();
        Muster node = node(FIRST, handlers());
        JobInfo job = ended(node, id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.error()).isEmpty();
    }

    @Test
    void aMissingKeyIsLoggedOnceAMinuteForAllItsJobs() {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.muster.internal.worker.ArgsReader");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        List<JobId> ids = new ArrayList<>();
        try (Muster client = client(FIRST)) {
            for (int i = 0; i < 20; i++) {
                ids.add(client.jobs().enqueue(ECHO, new Secret(MARKER)));
            }
            node(SECOND, handlers());
            await().until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE error IS NOT NULL") == 20);
        } finally {
            logger.detachAppender(lines);
        }
        // Other tests log at the same time: a line is known by the id of its job.
        assertThat(List.copyOf(lines.list))
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> ids.stream().anyMatch(id -> line.contains(id.toString())))
                .singleElement()
                .asString()
                .contains("job=", "kid=k1", "put back in the queue", "(k2)");
    }

    @Test
    void argsMovedToAnotherJobAreNotRun() {
        JobId first;
        JobId second;
        try (Muster client = client(FIRST)) {
            first = client.jobs().enqueue(ECHO, new Secret("first"));
            second = client.jobs().enqueue(ECHO, new Secret("second"));
        }
        database.execute("UPDATE muster_jobs j SET args = o.args FROM muster_jobs o WHERE o.id <> j.id");
        Handlers handlers = handlers();
        Muster node = node(FIRST, handlers);

        for (JobId id : List.of(first, second)) {
            await().until(() -> node.jobs().find(id).orElseThrow().error().isPresent());
            assertThat(node.jobs().find(id).orElseThrow().error().orElseThrow()).contains("belongs to another job");
        }
        assertThat(handlers.runs).hasValue(0);
    }

    @Test
    void afterARotationOldJobsRunAndNewValuesGetTheNewKey() throws Exception {
        JobId old;
        try (Muster client = client(FIRST)) {
            old = client.jobs().enqueue(ECHO, new Secret("old"));
        }
        Muster node = node(ROTATED, handlers());
        JobId fresh = node.jobs().enqueue(ECHO, new Secret("fresh"));

        assertThat(node.jobs().result(ECHO, ended(node, old))).isEqualTo(new Secret("old"));
        assertThat(node.jobs().result(ECHO, ended(node, fresh))).isEqualTo(new Secret("fresh"));
        assertThat(stored("args ->> 'kid'", old)).isEqualTo("k1");
        assertThat(stored("result ->> 'kid'", old)).isEqualTo("k2");
        assertThat(stored("args ->> 'kid'", fresh)).isEqualTo("k2");
    }

    @Test
    void aDeadLetterRunsAgainFromItsEncryptedArgs() throws Exception {
        Muster node = node(FIRST, handlers());
        JobId id = node.jobs().enqueue("fails", new Secret(MARKER));
        ended(node, id);

        assertThat(node.jobs().retry(id)).isTrue();
        assertThat(ended(node, id).error().orElseThrow()).contains("not said why");
    }

    @Test
    void aCipherOfOnesOwnCanBeHandedIn() throws Exception {
        PayloadCipher cipher =
                PayloadCipher.aesGcm(Map.of("kms/eu:1", Base64.getDecoder().decode(ONE)), "kms/eu:1");
        try (Muster node = builder(PLAIN, handlers()).payloadCipher(cipher).build()) {
            node.start();
            JobId id = node.jobs().enqueue(ECHO, new Secret(MARKER));

            assertThat(node.jobs().result(ECHO, ended(node, id))).isEqualTo(new Secret(MARKER));
            assertThat(stored("args ->> 'kid'", id)).isEqualTo("kms/eu:1");
        }
    }

    @Test
    void whereEncryptionIsRequiredPlainArgsOfOthersWaitVisibly() throws Exception {
        JobId plain;
        try (Muster client = client(PLAIN)) {
            plain = client.jobs().enqueue(ECHO, new Secret("plain"));
            client.crons().create(CronSpec.of("spoken", "@yearly", JobRequest.of("echo", new Secret("plain"))));
        }
        Handlers handlers = handlers();
        Map<String, String> required = Map.of("encryption.required", "true");
        assertThatThrownBy(() -> builder(required).build()).hasMessageContaining("encryption.required is true");
        Muster node =
                node(Map.of("encryption.required", "true", "encryption.keys", FIRST.get("encryption.keys")), handlers);
        JobId sealed = node.jobs().enqueue(ECHO, new Secret("sealed"));

        assertThat(ended(node, sealed).status()).isEqualTo(JobStatus.COMPLETED);
        await().until(() -> node.jobs().find(plain).orElseThrow().error().isPresent());
        JobInfo waiting = node.jobs().find(plain).orElseThrow();
        assertThat(waiting.status()).isEqualTo(JobStatus.PENDING);
        assertThat(waiting.attempt()).isZero();
        assertThat(waiting.error().orElseThrow()).contains("stored in plain text", "encryption.required");
        assertThat(handlers.runs).hasValue(1);
        assertThatThrownBy(() -> node.crons().trigger("spoken")).hasMessageContaining("the args of cron 'spoken'");
    }

    @Test
    void aCronWhoseKeyIsMissingIsCalledByItsName() {
        try (Muster client = client(FIRST)) {
            client.crons().create(CronSpec.of("echoing", "@yearly", JobRequest.of("echo", new Secret("dawn"))));
        }
        try (Muster other = client(SECOND)) {
            assertThatThrownBy(() -> other.crons().trigger("echoing"))
                    .isInstanceOf(UnreadablePayload.class)
                    .hasMessageStartingWith("the args of cron 'echoing' cannot be decrypted: ")
                    .hasMessageContaining("'k1'");
        }
    }

    @Test
    void theArgsOfACronAreEncryptedInItsRowToo() throws Exception {
        Muster node = node(FIRST, handlers());

        node.crons().create(CronSpec.of("echoing", "@yearly", JobRequest.of("echo", new Secret("attack at dawn"))));
        JobId id = node.crons().trigger("echoing");

        assertThat(database.column("SELECT args FROM muster_crons").get(0))
                .contains("$muster")
                .doesNotContain("attack at dawn");
        assertThat(ended(node, id).result().orElseThrow()).contains("attack at dawn");
    }
}
