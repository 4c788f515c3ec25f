package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.testing.Sizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One job that many wait for. */
class ManyDependentsIT extends StoreOnFreshDatabase {
    private static final int CHILDREN = Sizes.of(4_500, 20_000);

    private ClaimedJob parent;

    @BeforeEach
    void prepare() {
        store.jobs().enqueue(List.of(JobDraft.plain("parent")));
        ClaimSession session = session();
        parent = session.exchange(List.of(), 1).claimed().get(0);
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at,"
                        + " args) SELECT gen_random_uuid(), 'child', 'default', 50, 50, 'waiting', now(), 'infinity', now(), '{}'"
                        + " FROM generate_series(1, " + CHILDREN + ")");
        database.execute("INSERT INTO muster_job_dependencies (child, parent) SELECT id, '" + parent.id()
                + "' FROM muster_jobs WHERE name = 'child'");
    }

    private ClaimSession session() {
        return store.claims().openClaims(new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(1)));
    }

    @Test
    void childrenAreFreedSomeAtATime() {
        session().exchange(List.of(new Outcome.Completed(parent.claim(), null)), 0);
        int calls = 0;
        List<JobId> left = List.of(parent.id());
        long pending = 0;
        while (!left.isEmpty()) {
            List<JobId> rest = new ArrayList<>();
            assertThat(store.dependencies().resolveSomeDependents(left, rest)).isSubsetOf(new Lane("default", ""));
            left = rest;
            calls++;
            long now = database.number("SELECT count(*) FROM muster_jobs WHERE status = 'pending'");
            assertThat(now - pending).isBetween(0L, 2_000L);
            pending = now;
        }
        assertThat(pending).isEqualTo(CHILDREN);
        assertThat(calls).isEqualTo((CHILDREN + 1_999) / 2_000);
    }

    /** An outcome may turn out to be refused, or the job may have been retried since. */
    @Test
    void aParentThatIsStillLiveLeavesNothingToDo() {
        List<JobId> rest = new ArrayList<>();
        assertThat(store.dependencies().resolveSomeDependents(List.of(parent.id()), rest))
                .isEmpty();

        assertThat(rest).isEmpty();
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE status = 'waiting'"))
                .isEqualTo(CHILDREN);
    }

    @Test
    void whatDependsOnAJobThatFailedIsCancelledSomeAtATimeAndDownTheLine() {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at,"
                        + " args) SELECT gen_random_uuid(), 'grandchild', 'default', 50, 50, 'waiting', now(), 'infinity', now(),"
                        + " '{}'");
        database.execute("INSERT INTO muster_job_dependencies (child, parent) SELECT g.id, c.id FROM muster_jobs g,"
                + " (SELECT id FROM muster_jobs WHERE name = 'child' LIMIT 1) c WHERE g.name = 'grandchild'");
        session().exchange(List.of(new Outcome.Failed(parent.claim(), "no")), 0);

        store.dependencies().resolveDependents(List.of(parent.id()));

        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE status = 'cancelled'"))
                .isEqualTo(CHILDREN + 1);
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(database.number("SELECT count(*) FROM muster_job_dependencies"))
                .isZero();
    }
}
