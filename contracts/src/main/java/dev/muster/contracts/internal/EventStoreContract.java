package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.NodeStatus;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.Event.WatchedJob;
import dev.muster.event.Position;
import dev.muster.internal.event.EventStore;
import dev.muster.internal.event.EventStore.Ended;
import dev.muster.internal.event.EventStore.Fingerprints;
import dev.muster.internal.event.EventStore.Horizon;
import dev.muster.internal.job.store.ClaimStore.NewLogLine;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.schedule.CronStore;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobOptions;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import dev.muster.workflow.RunStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What the feed of live events reads: history by position, and when history is complete. */
abstract class EventStoreContract extends WorkflowStoreContract {
    private static final Position END = Position.after(Instant.parse("2200-01-01T00:00:00Z"));

    private EventStore events() {
        return store().port(EventStore.class);
    }

    private JobId complete(String name) {
        JobId id = enqueue(JobDraft.plain(name));
        assertThat(write(new Outcome.Completed(claimOne("n", LEASE).claim(), null))
                        .rejected())
                .isEmpty();
        return id;
    }

    private Position now() {
        return Position.before(events().horizon().at());
    }

    private static Position at(JobEnded job) {
        return Position.of(job.finishedAt(), job.id().value());
    }

    @Test
    void endedJobsComeInTheOrderOfTheirPositions() {
        Position start = now();
        List<JobId> ids = List.of(complete("a"), complete("b"), complete("c"));
        enqueue(JobDraft.plain("live"));

        List<JobEnded> all = events().ended(start, END, 10).jobs();

        assertThat(all).extracting(JobEnded::id).isEqualTo(ids);
        assertThat(all).extracting(JobEnded::name).containsExactly("a", "b", "c");
        assertThat(all).isSortedAccordingTo((one, other) -> at(one).compareTo(at(other)));
        assertThat(all.get(0)).satisfies(job -> {
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.queue()).isEqualTo("default");
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.node()).contains("n");
            assertThat(job.finishedAt()).isEqualTo(find(job.id()).finishedAt().orElseThrow());
        });
        assertThat(events().ended(at(all.get(0)), at(all.get(1)), 10).jobs())
                .as("behind the first, up to and with the second")
                .containsExactly(all.get(1));
        assertThat(events().ended(at(all.get(2)), END, 10).jobs()).isEmpty();
    }

    @Test
    void thoseBeyondTheLimitAreCounted() {
        Position start = now();
        for (int i = 0; i < 5; i++) {
            complete("a");
        }
        store().jobs().cancel(enqueue(JobDraft.plain("a")));

        Ended ended = events().ended(start, END, 2);

        assertThat(ended.jobs()).hasSize(2);
        assertThat(ended.more()).isEqualTo(4);
        assertThat(ended.moreFailed()).as("cancelled is not failed").isZero();
        assertThat(events().ended(start, END, 6).more()).isZero();
    }

    @Test
    void midnightIsNoBorder() {
        Position start = now();
        JobId before = complete("a");
        advance(Duration.ofDays(1));
        store().claims().prepareHistory();
        JobId after = complete("b");

        assertThat(events().ended(start, END, 10).jobs())
                .extracting(JobEnded::id)
                .containsExactly(before, after);
    }

    @Test
    void aJobOfAnOpenTransactionIsAnnouncedByTheHorizon() throws SQLException {
        Position start = now();
        JobId id = enqueue(JobDraft.plain("a"));
        ClaimedJob job = claimOne("n", LEASE);
        try (Connection tx = transaction()) {
            assertThat(store().claims().completeIn(tx, job.claim(), null)).isTrue();
            Horizon before = events().horizon();
            Set<Long> open = before.open().orElseThrow();
            assertThat(open).isNotEmpty();
            assertThat(events().ended(start, END, 10).jobs()).isEmpty();
            complete("b");
            assertThat(events().horizon().open().orElseThrow())
                    .as("the transaction is still open")
                    .containsAnyElementsOf(open);

            tx.commit();

            assertThat(events().horizon().open().orElseThrow()).doesNotContainAnyElementsOf(open);
            assertThat(events().ended(start, Position.before(before.at()), 10).jobs())
                    .extracting(JobEnded::id)
                    .containsExactly(id);
        }
    }

    @Test
    void watchedJobsAreFoundLiveAndEnded() {
        JobId live = enqueue(JobDraft.plain("a"));
        ClaimedJob job = claimOne("n", LEASE);
        store().claims().markRunning(List.of(new Start(job.claim(), 3, 5, 0)));
        store().claims().progress(Map.of(job.claim(), new Progress(40, Optional.of("packing"))));
        store().claims().appendLogs(List.of(line(live), line(live)));
        JobId unknown = JobId.next();

        assertThat(events().watched(List.of(live, unknown)))
                .containsExactly(new WatchedJob(live, JobStatus.RUNNING, 1, Optional.of("n"), Optional.of(40), 2));

        write(new Outcome.Completed(job.claim(), null));
        assertThat(events().watched(List.of(live))).singleElement().satisfies(ended -> {
            assertThat(ended.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(ended.logLines()).isEqualTo(2);
        });
    }

    private static NewLogLine line(JobId job) {
        return new NewLogLine(job, 1, "info", "working", 0);
    }

    @Test
    void queuesAreThoseThatPeopleSee() {
        enqueue(JobDraft.named("a").lane("mail", "").job());
        store().queues().pause("mail");

        assertThat(events().queues()).isEqualTo(store().queues().list());
        assertThat(events().queues()).extracting(QueueInfo::pending).containsExactly(1L);
    }

    @Test
    void runsAreFoundByTheirIdsAndWhenTheyAreRecent() {
        Instant before = now().moment().minusSeconds(60);
        JobId run = start(RunDraft.of("checkout").id(idOfNow()));

        List<RunChanged> recent = events().recentRuns(before, 10);
        assertThat(recent).singleElement().satisfies(found -> {
            assertThat(found.id()).isEqualTo(run);
            assertThat(found.workflow()).isEqualTo("checkout");
            assertThat(found.status()).isEqualTo(RunStatus.PENDING);
        });
        assertThat(events().runs(List.of(run, JobId.next()))).isEqualTo(recent);
        claimDriver(LEASE);
        assertThat(events().runs(List.of(run))).extracting(RunChanged::status).containsExactly(RunStatus.RUNNING);
        assertThat(events().recentRuns(Instant.parse("2200-01-01T00:00:00Z"), 10))
                .isEmpty();
    }

    @Test
    void fingerprintsChangeWithWhatTheyStandFor() {
        Fingerprints nothing = events().fingerprints();
        assertThat(events().fingerprints()).isEqualTo(nothing);

        store().nodes().join(Nodes.registration("n1", UUID.randomUUID()), NodeStatus.ACTIVE, null, null);
        Fingerprints withNode = events().fingerprints();
        assertThat(withNode.nodes()).isNotEqualTo(nothing.nodes());
        assertThat(withNode.crons()).isEqualTo(nothing.crons());

        CronStore crons = store().port(CronStore.class);
        crons.create(new CronDefinition(
                "report",
                "0 * * * *",
                "UTC",
                Misfire.FIRE_ONCE,
                1,
                Overlap.ALLOW,
                Duration.ZERO,
                "job",
                "{}",
                JobOptions.NONE));
        Fingerprints withCron = events().fingerprints();
        assertThat(withCron.crons()).isNotEqualTo(nothing.crons());
        assertThat(withCron.nodes()).isEqualTo(withNode.nodes());
        List<String> seen = new ArrayList<>(List.of(nothing.crons(), withCron.crons()));
        crons.pause("report");
        assertThat(seen).doesNotContain(events().fingerprints().crons());
    }
}
