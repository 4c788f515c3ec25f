package dev.muster.cli.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.job.JobId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What jobs carry, and finding, cancelling and retrying many by it. */
class JobFiltersIT extends OnTestDatabase {
    private Cli.Result jobs(String... args) {
        List<String> all = new ArrayList<>(List.of("jobs"));
        all.addAll(List.of(args));
        return Cli.on(database, all.toArray(String[]::new));
    }

    private String enqueue(String... options) {
        List<String> all = new ArrayList<>(List.of("enqueue", "hello", "-o", "json"));
        all.addAll(List.of(options));
        return jobs(all.toArray(String[]::new)).done().json().get("id").asString();
    }

    private List<String> list(String... filter) {
        List<String> all = new ArrayList<>(List.of("list", "-o", "json"));
        all.addAll(List.of(filter));
        List<String> ids = new ArrayList<>();
        jobs(all.toArray(String[]::new))
                .done()
                .json()
                .forEach(job -> ids.add(job.get("id").asString()));
        return ids;
    }

    @Test
    void aJobTakesWhatItIsGiven() {
        String parent = enqueue();
        String child = enqueue(
                "--tag",
                "red",
                "--tag",
                "big",
                "--metadata",
                "tenant=acme",
                "--metadata",
                "formula=a=b",
                "--expires",
                "1h",
                "--depends-on",
                parent,
                "--max-attempts",
                "7",
                "--job-timeout",
                "5m");

        JsonNode job = jobs("show", child, "-o", "json").done().json();
        assertThat(job.get("status").asString()).isEqualTo("waiting");
        assertThat(job.get("waiting_reason").asString()).contains("depends on 1 job", parent);
        assertThat(job.get("tags")).extracting(JsonNode::asString).containsExactlyInAnyOrder("red", "big");
        assertThat(job.get("metadata").get("tenant").asString()).isEqualTo("acme");
        assertThat(job.get("metadata").get("formula").asString()).isEqualTo("a=b");
        assertThat(job.get("max_attempts").asInt()).isEqualTo(7);
        assertThat(database.column("SELECT timeout_ms FROM muster_jobs WHERE id = '" + child + "'"))
                .containsExactly("300000");
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE expires_at > now() + interval '50 minutes'"))
                .isEqualTo(1);
        assertThat(jobs("show", child).out())
                .contains("waiting because it depends on 1 job", "acme")
                .doesNotContain("waiting, waiting");
    }

    @Test
    void aParentThatDoesNotExistIsRefused() {
        String nobody = JobId.next().toString();
        jobs("enqueue", "hello", "--depends-on", nobody).failed(ExitCode.USAGE, nobody);
    }

    @Test
    void allParentsAreCounted() {
        List<String> options = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            options.addAll(List.of("--depends-on", enqueue()));
        }
        String child = enqueue(options.toArray(String[]::new));
        assertThat(jobs("show", child).out()).contains("depends on 7 jobs", ", …");
    }

    @Test
    void filtersByTagAndMetadata() {
        String red = enqueue("--tag", "red", "--metadata", "tenant=acme");
        String both = enqueue("--tag", "red,big", "--metadata", "tenant=acme", "--metadata", "region=eu");
        enqueue("--tag", "blue");

        assertThat(list("--tag", "red")).containsExactly(both, red);
        assertThat(list("--tag", "red", "--tag", "big")).containsExactly(both);
        assertThat(list("--metadata", "tenant=acme")).containsExactly(both, red);
        assertThat(list("--metadata", "tenant=acme", "--metadata", "region=eu")).containsExactly(both);
        assertThat(list("--metadata", "tenant=acme", "--metadata", "region=us")).isEmpty();
    }

    @Test
    void turnsPages() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(0, enqueue());
        }
        Cli.Result first = jobs("list", "--limit", "3").done();
        assertThat(first.out()).contains(ids.subList(0, 3)).doesNotContain(ids.get(3));
        assertThat(first.err().strip()).isEqualTo("next page: --before " + ids.get(2));
        assertThat(list("--limit", "3", "--before", ids.get(2))).containsExactly(ids.get(3), ids.get(4));
        assertThat(jobs("list", "--limit", "3", "--before", ids.get(2)).err()).isEmpty();
        assertThat(jobs("list", "--limit", "3", "-o", "json").err()).isEmpty();
    }

    @Test
    void cancelsAndRetriesAllThatTheFiltersLeave() {
        enqueue("--tag", "red", "--queue", "mail");
        enqueue("--tag", "red");
        String blue = enqueue("--tag", "blue");

        JsonNode cancelled =
                jobs("cancel", "--all", "--tag", "red", "-o", "json").done().json();
        assertThat(cancelled.propertyNames()).containsExactly("cancelled", "requested");
        assertThat(cancelled.get("cancelled").asInt()).isEqualTo(2);
        assertThat(cancelled.get("requested").asInt()).isZero();
        assertThat(list("--status", "pending")).containsExactly(blue);

        jobs("retry", "--all", "--queue", "mail").done();
        assertThat(list("--status", "pending"))
                .as("cancelled jobs are not taken along")
                .containsExactly(blue);
        JsonNode retried = jobs("retry", "--all", "--queue", "mail", "--status", "cancelled", "-o", "json")
                .done()
                .json();
        assertThat(retried.propertyNames()).containsExactly("retried");
        assertThat(retried.get("retried").asInt()).isEqualTo(1);
        assertThat(list("--status", "pending")).hasSize(2);

        assertThat(jobs("cancel", "--all", "--yes").done().out().strip())
                .isEqualTo("cancelled 2, told nodes to stop 0");
        assertThat(jobs("retry", "--all", "--status", "cancelled").done().out().strip())
                .isEqualTo("back in the queue: 3");
        assertThat(jobs("retry", "--all", "--name", "nothing", "-o", "json")
                        .done()
                        .json()
                        .get("retried")
                        .asInt())
                .isZero();
    }

    @Test
    void waitsForTheJobThatHoldsTheKey() {
        String id = enqueue("--key", "once");
        Cli.Result again = jobs("enqueue", "hello", "--key", "once", "--wait", "--timeout", "10ms");
        assertThat(again.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err())
                .contains("nothing was enqueued", "muster: waiting for job " + id + " to end")
                .doesNotContain("muster: enqueued");
    }

    @Test
    void saysWhatItWouldRetryAndAsks() {
        String failed = enqueue();
        String child = enqueue("--depends-on", failed);
        database.execute("WITH gone AS (DELETE FROM muster_jobs WHERE id = '" + failed + "' RETURNING *)"
                + " INSERT INTO muster_job_history (id, finished_at, run_at, created_at, priority, attempt, crashes, status,"
                + " name, queue, capability, args, error) SELECT id, clock_timestamp(), run_at, created_at, priority, 3, 0,"
                + " 'failed', name, queue, capability, args, 'boom' FROM gone");
        jobs("cancel", child).done();

        jobs("retry", child).failed(ExitCode.FAILED, failed, "which is failed");
        jobs("retry", "--all", "--name", "hello")
                .failed(ExitCode.USAGE, "this retries 1 job: 1 failed of hello", "--yes", "--status");
        assertThat(jobs("retry", "--all", "--status", "cancelled").done().err()).contains("not retried: 1");
        assertThat(list("--status", "pending")).isEmpty();

        assertThat(jobs("retry", failed, "--with-dependents").done().out()).contains("back in the queue: 1");
        assertThat(jobs("retry", child, "-o", "json")
                        .done()
                        .json()
                        .get("status")
                        .asString())
                .isEqualTo("waiting");
        JsonNode shown = jobs("show", child, "-o", "json").done().json();
        assertThat(shown.get("dependencies").get(0).get("id").asString()).isEqualTo(failed);
        assertThat(shown.get("dependencies").get(0).get("status").asString()).isEqualTo("pending");
        assertThat(jobs("show", child).done().out()).contains("depends on  " + failed + "  pending");
    }
}
