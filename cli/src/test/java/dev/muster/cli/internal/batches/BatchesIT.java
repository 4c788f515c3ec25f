package dev.muster.cli.internal.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.job.BatchId;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class BatchesIT extends OnTestDatabase {
    private String createBatch(String... options) {
        String[] all = new String[options.length + 3];
        all[0] = "batches";
        all[1] = "create";
        all[2] = "nightly";
        System.arraycopy(options, 0, all, 3, options.length);
        return Cli.on(database, all).done().out().strip();
    }

    @Test
    void aBatchIsFilledSealedAndCancelled() {
        assertThat(Cli.on(database, "batches", "list").done().out().strip()).isEqualTo("no batches");
        String id = createBatch("--on-complete", "report", "--success-rate", "0.5");
        Cli.on(database, "jobs", "enqueue", "load", "--count", "3", "--batch", id)
                .done();
        assertThat(asJson("jobs", "list", "--batch", id)).hasSize(3);
        assertThat(asJson("jobs", "list", "--batch", id).get(0).get("batch").asString())
                .isEqualTo(id);

        assertThat(asJson("batches", "seal", id).get("status").asString()).isEqualTo("sealed");

        JsonNode batch = asJson("batches", "show", id);
        assertThat(batch.get("condition").asString()).isEqualTo("success_rate");
        assertThat(batch.get("jobs").get("live").asInt()).isEqualTo(3);
        assertThat(batch.get("completion_job").isNull()).isFalse();
        assertThat(Cli.on(database, "batches", "show", id).done().out())
                .contains("3, 0% ended", "success_rate 0.5", "sealed");
        assertThat(Cli.on(database, "batches", "cancel", id).done().out()).contains("cancelled: 3 jobs");
        JsonNode closed = asJson("batches", "list", "--status", "cancelled").get(0);
        assertThat(closed.get("id").asString()).isEqualTo(id);
        assertThat(closed.get("jobs").get("cancelled").asInt()).isEqualTo(3);
        assertThat(asJson("jobs", "show", closed.get("completion_job").asString())
                        .get("status")
                        .asString())
                .isEqualTo("pending");
    }

    @Test
    void saysWhatIsWrong() {
        String unknown = BatchId.next().toString();
        assertThat(Cli.on(database, "batches", "show", unknown).err()).contains("there is no batch " + unknown);
        assertThat(Cli.on(database, "batches", "show", "x").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(Cli.on(database, "jobs", "enqueue", "load", "--batch", unknown)
                        .err())
                .contains(unknown, "closed or cancelled, or there is none");
        assertThat(Cli.on(database, "batches", "create", "b", "--success-rate", "2")
                        .err())
                .contains("above 0 and at most 1");
        assertThat(Cli.run("batches").err()).contains("list, show, create, seal or cancel");
    }

    @Test
    void aPlacementIsBuiltFromItsOptions() {
        JsonNode job = asJson(
                "jobs",
                "enqueue",
                "train",
                "--capability",
                "gpu",
                "--require",
                "zone=eu",
                "--forbid",
                "spot",
                "--on-node",
                "n2,n1",
                "--not-on-node",
                "n3");
        assertThat(job.get("capability").asString()).isEqualTo("gpu&zone=eu!spot@n1|n2~n3");
        assertThat(asJson("jobs", "enqueue", "train", "--capability", "gpu")
                        .get("capability")
                        .asString())
                .isEqualTo("gpu");
        Cli.Result wrong = Cli.on(database, "jobs", "enqueue", "train", "--require", "Gpu");
        assertThat(wrong.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(wrong.err()).contains("capability 'Gpu' is not allowed");
        assertThat(Cli.on(database, "jobs", "enqueue", "train", "--capability", "gpu&")
                        .err())
                .contains("placement 'gpu&' is not allowed");
    }
}
