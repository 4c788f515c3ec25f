package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.postgres.internal.db.SqlFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What belongs to a tenant is kept apart in the tables. */
class TenantJobsIT extends StoreOnFreshDatabase {
    private JobId enqueue(NewJob job) {
        return store.jobs().enqueue(List.of(job)).get(0);
    }

    private static NewJob placed(String tenant, int number) {
        JobDraft draft = JobDraft.named("a").lane("default", "rack=" + tenant + number);
        return (tenant.isEmpty() ? draft : draft.tenant(tenant)).job();
    }

    @Test
    void aTenantHasTwentyOfThePlacementsOfAQueueAndAllTenantsHalf() {
        for (int tenant = 0; tenant < 5; tenant++) {
            for (int i = 0; i < 20; i++) {
                enqueue(placed("tenant" + tenant, i));
            }
        }

        assertThatThrownBy(() -> enqueue(placed("tenant0", 20)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("20 different placements, the most that a tenant may have");
        assertThatThrownBy(() -> enqueue(placed("late", 0)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("no room for another placement that a tenant has named");
        enqueue(placed("tenant0", 19));
        enqueue(JobDraft.named("a")
                .tenant("tenant0")
                .lane("other", "rack=tenant020")
                .job());
        for (int i = 0; i < 100; i++) {
            enqueue(placed("", i));
        }
        assertThatThrownBy(() -> enqueue(placed("", 100)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("200 different placements");
        assertThat(database.number("SELECT count(*) FROM muster_placements WHERE queue = 'default'"))
                .isEqualTo(200);
    }

    @Test
    void aTenantThatAsksManyTimesAtOnceGetsNoMorePlacements() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> asked = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                NewJob job = placed("acme", i);
                asked.add(threads.submit(() -> {
                    try {
                        enqueue(job);
                    } catch (InvalidJob e) {
                        // There is no room for it.
                    }
                }));
            }
            for (Future<?> one : asked) {
                one.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(database.number("SELECT count(*) FROM muster_placements WHERE tenant = 'acme'"))
                .isEqualTo(20);
    }

    @Test
    void aRetryTakesAPlacementOfTheTenantThatAskedForTheJob() {
        JobId job = enqueue(placed("acme", 0));
        store.jobs().cancel(job);
        database.execute("UPDATE muster_job_history SET metadata = metadata || '{\"muster.tenant\": \"acme\"}'");
        database.execute("DELETE FROM muster_placements");

        try (PostgresStore later = database.store()) {
            assertThat(later.jobs().retry(job)).isPresent();
        }

        assertThat(database.column("SELECT tenant FROM muster_placements")).containsExactly("acme");
    }

    /** A caller without a tenant cannot reach the key of one, nor the other way round, whatever it writes. */
    @Test
    void aMigrationTakesKeysAndGroupsIntoTheNameSpacesOfTheirTenants() {
        JobId overHttp =
                enqueue(JobDraft.named("a").tenant("a/b").key("@a%2Fb/http").job());
        JobId byProgram =
                enqueue(JobDraft.named("a").tenant("acme").key("@acme/java").job());
        JobId ended =
                enqueue(JobDraft.named("a").tenant("acme").key("@acme/ended").job());
        JobId nobodys = enqueue(JobDraft.named("a").key("@/@home").job());
        JobId first =
                enqueue(JobDraft.named("b").tenant("acme").key("@acme/twice").job());
        JobId second = enqueue(JobDraft.named("b").tenant("acme").key("second").job());
        List<JobId> grouped = new ArrayList<>();
        for (String group :
                List.of("fifo/f/1", "fair/f", "key/mail/ada/1", "order/mail/ada", "order/mail", "name/mail")) {
            grouped.add(
                    enqueue(JobDraft.named("mail").tenant("acme").group(group).job()));
        }
        JobId groupedOfNobody = enqueue(JobDraft.named("mail").group("fifo/@x").job());
        store.jobs().cancel(ended);
        database.execute("UPDATE muster_job_keys SET key = 'a%2Fb/http' WHERE key = '@a%2Fb/http'");
        database.execute("UPDATE muster_job_keys SET key = 'java' WHERE key = '@acme/java'");
        database.execute("UPDATE muster_job_keys SET key = 'acme/ended' WHERE key = '@acme/ended'");
        database.execute("UPDATE muster_job_keys SET key = '@home' WHERE key = '@/@home'");
        database.execute("UPDATE muster_job_keys SET key = 'acme/twice' WHERE key = '@acme/twice'");
        database.execute("UPDATE muster_job_keys SET key = 'twice' WHERE key = 'second'");
        for (String table : List.of("muster_jobs", "muster_job_history")) {
            database.execute("UPDATE " + table + " j SET key = k.key FROM muster_job_keys k WHERE k.job_id = j.id");
        }
        database.execute("DROP INDEX muster_jobs_tenant");
        database.execute("DROP INDEX muster_job_history_tenant");
        database.execute("ALTER TABLE muster_placements DROP COLUMN tenant, DROP COLUMN tenant_slot");

        database.execute(SqlFiles.read("migrations/V033__tenants.sql"));

        assertThat(enqueue(JobDraft.named("a").tenant("a/b").key("@a%2Fb/http").job()))
                .isEqualTo(overHttp);
        assertThat(enqueue(JobDraft.named("a").tenant("acme").key("@acme/java").job()))
                .isEqualTo(byProgram);
        assertThat(enqueue(JobDraft.named("a").tenant("acme").key("@acme/ended").job()))
                .isEqualTo(ended);
        assertThat(enqueue(JobDraft.named("a").key("@/@home").job())).isEqualTo(nobodys);
        assertThat(enqueue(JobDraft.named("b").tenant("acme").key("@acme/twice").job()))
                .isEqualTo(first);
        assertThat(enqueue(JobDraft.named("b").key("twice").job())).isEqualTo(second);
        assertThat(store.jobReader()
                        .list(JobQuery.all().metadata("tenant", "acme").key("ended")))
                .extracting(JobInfo::id)
                .containsExactly(ended);
        assertThat(grouped.stream().map(this::group))
                .containsExactly(
                        "fifo/@acme/f/1",
                        "fair/@acme/f",
                        "key/mail/@acme/ada/1",
                        "order/mail/@acme/ada",
                        "order/mail",
                        "name/mail");
        assertThat(group(groupedOfNobody)).isEqualTo("fifo/@/@x");
        assertThat(store.jobReader().find(ended).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    private String group(JobId id) {
        return database.column("SELECT concurrency_group FROM muster_jobs WHERE id = '" + id + "'")
                .get(0);
    }
}
