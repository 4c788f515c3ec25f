package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.JobId;
import dev.muster.job.RawJson;
import dev.muster.job.payload.EncryptionKeyUse;
import dev.muster.job.payload.PayloadCipher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Inputs, steps, events, args of compensations and results encrypted, with a real database to look for them in. */
class WorkflowEncryptionIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final String MARKER = "xyzzy-4711-plugh";
    private static final String ONE = "bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";
    private static final String TWO = "bWF0ZXJpYWwtdHdvLW1hdGVyaWFsLXR3by1tYXQtMjI=";
    private static final Map<String, String> FIRST = Map.of("encryption.keys", "k1=" + ONE);
    private static final Map<String, String> SECOND = Map.of("encryption.keys", "k2=" + TWO);
    private static final Map<String, String> REQUIRED =
            Map.of("encryption.keys", "k1=" + ONE, "encryption.required", "true");

    record Secret(String text) {}

    record Pin(int pin) {}

    private static final WorkflowType<Secret, Secret> SECRETS = WorkflowType.of("secrets", Secret.class, Secret.class);

    /** A workflow with a secret in every place where one can be. */
    public static final class Secrets {
        final List<String> undone = new CopyOnWriteArrayList<>();

        @Workflow(name = "secrets", version = "v1")
        Secret secrets(WorkflowContext wf, Secret input) {
            Secret step = wf.step("echo", Secret.class)
                    .compensateWith("undo", input)
                    .run(context -> new Secret("step " + input.text()));
            Secret event = wf.awaitEvent("more", Secret.class);
            if (event.text().contains("fail")) {
                throw new IllegalStateException("as asked");
            }
            return new Secret(step.text() + ", event " + event.text());
        }

        @Compensation("undo")
        void undo(Secret secret) {
            undone.add(secret.text());
        }

        @Workflow(name = "pin", version = "v1")
        int pin(WorkflowContext wf, Pin pin) {
            return pin.pin();
        }

        @Workflow(name = "no_input", version = "v1")
        String noInput(WorkflowContext wf) {
            return wf.step("made", String.class, step -> MARKER);
        }
    }

    private static final WorkflowType<Void, String> MAKER = WorkflowType.of("maker", Void.class, String.class);

    /** Starts a child and waits for it. */
    public static final class Parent {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @Workflow(name = "parent", version = "v1")
        void parent(WorkflowContext wf) {
            seen.add(String.valueOf(wf.child(MAKER, null)));
        }
    }

    /** The code of the child alone. */
    public static final class Maker {
        @Workflow(name = "maker", version = "v1")
        String make(WorkflowContext wf) {
            return MARKER;
        }
    }

    private final Secrets secrets = new Secrets();

    private Muster node(Map<String, String> settings) {
        Muster node = builder(settings).register(secrets).build();
        node.start();
        return node;
    }

    private void awaitStatus(Muster muster, JobId run, RunStatus status) {
        await().atMost(SOON)
                .until(() -> muster.workflows().find(run).orElseThrow().status() == status);
    }

    private void nothingReadableIsStored() {
        for (String column : List.of(
                "input::text || coalesce(result::text, '') || coalesce(error, '') FROM muster_workflow_runs",
                "coalesce(result::text, '') || coalesce(error, '') || coalesce(compensation_args::text, '')"
                        + " FROM muster_workflow_steps",
                "coalesce(payload::text, '') FROM muster_workflow_events",
                "args::text FROM muster_jobs",
                "args::text || coalesce(result::text, '') || coalesce(error, '') FROM muster_job_history")) {
            assertThat(database.column("SELECT " + column)).as(column).noneMatch(text -> text.contains(MARKER));
        }
    }

    @Test
    void nothingOfARunIsStoredInPlainTextAndAllOfItIsReadAgain() {
        try (Muster node = node(FIRST)) {
            JobId run = node.workflows().start(SECRETS, new Secret(MARKER));
            awaitStatus(node, run, RunStatus.WAITING);
            nothingReadableIsStored();
            JobId failing = node.workflows().start(SECRETS, new Secret(MARKER + " two"));
            node.workflows().signal(failing, "more", new Secret("fail " + MARKER));
            node.workflows().signal(run, "more", new Secret(MARKER));

            RunInfo ended = node.workflows().await(run, SOON);

            assertThat(node.workflows().result(SECRETS, ended))
                    .isEqualTo(new Secret("step " + MARKER + ", event " + MARKER));
            assertThat(node.workflows().await(failing, SOON).status()).isEqualTo(RunStatus.COMPENSATED);
            assertThat(secrets.undone).containsExactly(MARKER + " two");
            nothingReadableIsStored();
            assertThat(node.workflows().steps(run))
                    .extracting(step -> step.result().orElse(""))
                    .allMatch(result -> result.contains(MARKER));
        }
    }

    @Test
    void aNodeWithoutTheKeyPutsARunBackAndUndoesNothing() {
        JobId run;
        try (Muster first = node(FIRST)) {
            run = first.workflows().start(SECRETS, new Secret(MARKER));
            awaitStatus(first, run, RunStatus.WAITING);
            assertThat(first.admin().encryptionKeyUses(false))
                    .extracting(EncryptionKeyUse::key, EncryptionKeyUse::liveRuns)
                    .contains(org.assertj.core.groups.Tuple.tuple(Optional.of("k1"), 1L));
        }
        try (Muster other = node(SECOND)) {
            try (Muster client = builder(FIRST).build()) {
                client.workflows().signal(run, "more", new Secret("go"));
            }
            await().atMost(SOON)
                    .until(() -> database.column("SELECT coalesce(error, '') FROM muster_jobs").stream()
                            .anyMatch(error -> error.contains("put back in the queue by node")));
            assertThat(other.workflows().find(run).orElseThrow().status().isTerminal())
                    .isFalse();
        }
        assertThat(secrets.undone).isEmpty();
        database.execute("UPDATE muster_jobs SET ready_at = muster_clock()");
        try (Muster first = node(FIRST)) {
            assertThat(first.workflows().await(run, SOON).status()).isEqualTo(RunStatus.COMPLETED);
        }
    }

    @Test
    void plainInputIsNotRunWhereEncryptionIsRequired() {
        try (Muster plain = builder(Map.of()).register(secrets).build()) {
            plain.workflows().start("pin", new RawJson("{\"pin\": 1}"));
        }
        try (Muster strict = node(REQUIRED)) {
            await().atMost(SOON)
                    .until(() -> database.column("SELECT coalesce(error, '') FROM muster_jobs").stream()
                            .anyMatch(error -> error.contains("stored in plain text")));
            assertThat(strict.health().ok()).isTrue();
        }
    }

    @Test
    void anErrorDoesNotQuoteAnEncryptedInput() {
        try (Muster node = node(FIRST);
                Muster withoutCode = builder(FIRST).build()) {
            JobId run = withoutCode.workflows().start("pin", new RawJson("{\"pin\": \"" + MARKER + "\"}"));

            RunInfo ended = node.workflows().await(run, SOON);

            assertThat(ended.status()).isEqualTo(RunStatus.FAILED);
            assertThat(ended.error().orElseThrow())
                    .contains("what is wrong is not said, because it is encrypted")
                    .doesNotContain(MARKER);
            nothingReadableIsStored();
        }
    }

    /** As if the child had ended on a node without keys, which stores its result as it is: a node that requires encryption does not use it. */
    @Test
    void aChildsResultInPlainTextIsNotUsedWhereEncryptionIsRequired() {
        Parent parent = new Parent();
        try (Muster plain = builder(Map.of()).register(new Maker()).build()) {
            plain.start();
            try (Muster strict = builder(REQUIRED).register(parent).build()) {
                strict.start();
                JobId run = strict.workflows().start("parent", null);
                awaitStatus(strict, run, RunStatus.WAITING);
                database.execute(
                        "INSERT INTO muster_workflow_events (run_id, event_id, name, payload, sent_at)"
                                + " SELECT c.parent_run, e.name, e.name, jsonb_build_object('run', c.id, 'status', 'completed',"
                                + " 'result', '\"" + MARKER
                                + "\"', 'error', NULL), muster_clock() FROM muster_workflow_runs c,"
                                + " LATERAL (SELECT 'muster:child:' || c.parent_path AS name) e WHERE c.parent_run IS NOT NULL");
                database.execute("UPDATE muster_jobs SET ready_at = muster_clock() WHERE id = '" + run + "'");

                await().atMost(SOON)
                        .until(() ->
                                database
                                        .column("SELECT coalesce(error, '') FROM muster_jobs WHERE id = '" + run + "'")
                                        .stream()
                                        .anyMatch(error -> error.contains("stored in plain text")));
                assertThat(parent.seen).isEmpty();
            }
        }
    }

    /** It cannot encrypt results of steps. */
    private static final class HalfDeadCipher implements PayloadCipher {
        private final PayloadCipher keys = PayloadCipher.aesGcm(Map.of("k1", new byte[32]), "k1");

        @Override
        public Optional<String> activeKey() {
            return keys.activeKey();
        }

        @Override
        public Sealed encrypt(byte[] plain, byte[] context) {
            if (new String(context, StandardCharsets.UTF_8).endsWith("/step")) {
                throw new IllegalStateException("the key service is away");
            }
            return keys.encrypt(plain, context);
        }

        @Override
        public byte[] decrypt(Sealed sealed, byte[] context) {
            return keys.decrypt(sealed, context);
        }

        @Override
        public byte[] mac(String keyId, byte[] message) {
            return keys.mac(keyId, message);
        }
    }

    /** The effect has happened, and there is no knowing it from a result. */
    @Test
    void aStepWhoseResultCannotBeEncryptedIsUndone() {
        try (Muster node = builder(Map.of())
                .payloadCipher(new HalfDeadCipher())
                .register(secrets)
                .build()) {
            node.start();
            JobId run = node.workflows().start(SECRETS, new Secret("order"));

            RunInfo end = node.workflows().await(run, SOON);

            assertThat(end.status()).as(end.toString()).isEqualTo(RunStatus.COMPENSATED);
            assertThat(end.error().orElseThrow()).contains("the key service is away");
            assertThat(secrets.undone).containsExactly("order");
        }
    }
}
