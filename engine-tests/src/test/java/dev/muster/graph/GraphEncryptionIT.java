package dev.muster.graph;

import static dev.muster.graph.TaskRequest.from;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.batch.BatchRequest;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.RawJson;
import dev.muster.job.payload.EncryptionKeyUse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Inputs and results of tasks encrypted, with a real database to look for them in. */
class GraphEncryptionIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final String MARKER = "xyzzy-4711-plugh";
    private static final String ONE = "bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";
    private static final String TWO = "bWF0ZXJpYWwtdHdvLW1hdGVyaWFsLXR3by1tYXQtMjI=";
    private static final Map<String, String> REQUIRED =
            Map.of("encryption.keys", "k1=" + ONE, "encryption.required", "true");
    private static final Map<String, String> OTHER = Map.of("encryption.keys", "k2=" + TWO);

    record Secret(String text) {}

    private static final JobType<Secret, Secret> TELL = JobType.of("tell", Secret.class, Secret.class);

    /** Jobs with secrets in and out. */
    public static final class Tellers {
        final CountDownLatch mayWait = new CountDownLatch(1);

        @Job("tell")
        Secret tell(Secret secret) {
            return new Secret("told " + secret.text());
        }

        @Job("number")
        int number(int number) {
            return number;
        }

        @Job("wait")
        void waitForTest() throws InterruptedException {
            mayWait.await();
        }
    }

    private final Tellers tellers = new Tellers();

    private Muster node(Map<String, String> settings) {
        Muster node = builder(settings).register(tellers).build();
        node.start();
        return node;
    }

    private String everyRow() {
        StringBuilder all = new StringBuilder();
        for (String table : database.column("SELECT quote_ident(schemaname) || '.' || quote_ident(tablename)"
                + " FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")) {
            database.column("SELECT t::text FROM " + table + " t").forEach(all::append);
        }
        return all.toString();
    }

    @Test
    void inputsFlowAndNothingIsStoredInPlainText() {
        try (Muster node = node(REQUIRED)) {
            GraphId graph = node.graphs()
                    .submit(GraphRequest.of(
                            TaskRequest.of("first", "tell", new Secret(MARKER)),
                            TaskRequest.of("second", "tell", Map.of("text", from("first", "/text")))
                                    .dependsOn("first"),
                            TaskRequest.of("misfit", "number", from("first", "/text"))
                                    .dependsOn("first"),
                            TaskRequest.of("nowhere", "tell", Map.of("text", from("first", "/x")))
                                    .dependsOn("first")));

            assertThat(node.graphs().await(graph, SOON).status()).isEqualTo(GraphStatus.FAILED);

            GraphTree tree = node.graphs().tree(graph).orElseThrow();
            TaskInfo second = tree.task("second").orElseThrow();
            assertThat(node.graphs().result(TELL, second)).isEqualTo(new Secret("told told " + MARKER));
            assertThat(tree.task("first").orElseThrow().inputs()).contains(MARKER);
            assertThat(tree.task("misfit").orElseThrow().error().orElseThrow())
                    .contains("args do not fit")
                    .contains("encrypted");
            assertThat(tree.task("nowhere").orElseThrow().error().orElseThrow()).contains("nothing at /x");
            assertThat(everyRow()).contains("aes-gcm-1").doesNotContain(MARKER);
        }
    }

    @Test
    void aNodeWithoutTheKeyPutsTheTaskBackAndShowsTheEnvelope() {
        GraphId graph;
        try (Muster client = builder(REQUIRED).register(tellers).build()) {
            client.migrate();
            graph = client.graphs().submit(GraphRequest.of(TaskRequest.of("first", "tell", new Secret(MARKER))));
        }
        try (Muster other = node(OTHER)) {
            await().atMost(SOON)
                    .until(() -> other.graphs()
                            .tree(graph)
                            .orElseThrow()
                            .tasks()
                            .get(0)
                            .error()
                            .isPresent());
            TaskInfo first = other.graphs().tree(graph).orElseThrow().tasks().get(0);
            assertThat(first.error().orElseThrow()).contains("put back in the queue", "k1");
            assertThat(first.inputs()).contains("$muster").doesNotContain(MARKER);
            assertThat(first.attempt()).isZero();
        }
    }

    @Test
    void plainInputsAreRefusedWhereEncryptionIsRequired() {
        GraphId graph;
        try (Muster client = builder(Map.of()).register(tellers).build()) {
            client.migrate();
            graph = client.graphs()
                    .submit(GraphRequest.of(TaskRequest.of("first", "tell", new RawJson("{\"text\": \"x\"}"))));
        }
        try (Muster node = node(REQUIRED)) {
            await().atMost(SOON)
                    .until(() -> node.graphs()
                            .tree(graph)
                            .orElseThrow()
                            .tasks()
                            .get(0)
                            .error()
                            .isPresent());
            assertThat(node.graphs()
                            .tree(graph)
                            .orElseThrow()
                            .tasks()
                            .get(0)
                            .error()
                            .orElseThrow())
                    .contains("stored in plain text");
        }
    }

    @Test
    void aParentsResultInPlainTextIsRefusedWhereEncryptionIsRequired() {
        try (Muster node = node(REQUIRED)) {
            GraphId graph = node.graphs()
                    .submit(GraphRequest.of(
                            TaskRequest.of("first", "tell", new Secret(MARKER)),
                            TaskRequest.of("second", "wait").dependsOn("first"),
                            TaskRequest.of("third", "tell", TaskRequest.from("first"))
                                    .dependsOn("first", "second")));
            await().atMost(SOON).until(() -> task(node, graph, "second").status() == TaskStatus.RUNNING);
            database.execute("UPDATE muster_graph_tasks SET result = '{\"text\": \"forged\"}' WHERE task_id = 'first'");
            tellers.mayWait.countDown();

            await().atMost(SOON).until(() -> task(node, graph, "third").error().isPresent());
            assertThat(task(node, graph, "third").error().orElseThrow()).contains("stored in plain text");
            assertThat(task(node, graph, "third").result()).isEmpty();
        }
    }

    private static TaskInfo task(Muster node, GraphId graph, String id) {
        return node.graphs().tree(graph).orElseThrow().task(id).orElseThrow();
    }

    @Test
    void theKeysOfBatchJobsAreCounted() {
        try (Muster node = node(REQUIRED)) {
            node.batches().create(BatchRequest.of("secret").onComplete(JobRequest.of("tell", new Secret(MARKER))));

            assertThat(node.admin().encryptionKeyUses(false))
                    .extracting(EncryptionKeyUse::key, EncryptionKeyUse::liveJobs)
                    .containsExactly(tuple(Optional.of("k1"), 1L));
        }
    }

    @Test
    void theKeysOfLiveGraphsAreCounted() {
        try (Muster node = node(REQUIRED)) {
            GraphId graph = node.graphs()
                    .submit(GraphRequest.of(
                            TaskRequest.of("first", "tell", new Secret(MARKER)),
                            TaskRequest.of("last", "wait").dependsOn("first")));
            await().atMost(SOON)
                    .until(() -> node.graphs()
                                    .tree(graph)
                                    .orElseThrow()
                                    .task("last")
                                    .orElseThrow()
                                    .status()
                            == TaskStatus.RUNNING);

            List<EncryptionKeyUse> uses = node.admin().encryptionKeyUses(false);

            assertThat(uses)
                    .extracting(EncryptionKeyUse::key, EncryptionKeyUse::liveGraphs, EncryptionKeyUse::liveJobs)
                    .containsExactly(tuple(Optional.of("k1"), 1L, 0L));
            tellers.mayWait.countDown();
        }
    }
}
