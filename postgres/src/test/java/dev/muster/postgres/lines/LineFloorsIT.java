package dev.muster.postgres.lines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Store;
import dev.muster.contracts.JobDraft;
import dev.muster.job.JobId;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The floors of a line are below every job that counts, also while others change these jobs. */
class LineFloorsIT {
    private static final String LINE = "fifo/order-17";

    private FreshDatabase database;
    private PostgresStore store;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.store();
        store.connect(Store.Events.ignored());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private JobId enqueue() {
        return store.jobs()
                .enqueue(List.of(JobDraft.named("a").line(LINE).job()))
                .get(0);
    }

    private void admit() {
        database.advance(Duration.ofSeconds(2));
        store.claims().admit(Set.of(LINE));
    }

    /** Whoever looks at the floors before the commit sees a job that is due in the future, and after it one that was due before. */
    @Test
    void aJobInBackoffIsCountedWhileSomebodyMovesItToThePresent() throws SQLException {
        ClaimSession session =
                store.claims().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofMinutes(10)));
        JobId first = enqueue();
        enqueue();
        ClaimedJob claimed = session.exchange(List.of(), 10).claimed().get(0);
        session.exchange(List.of(new Outcome.Retried(claimed.claim(), "no", Duration.ofHours(1))), 0);

        try (Connection open = database.transaction();
                Statement move = open.createStatement()) {
            move.execute("UPDATE muster_jobs SET ready_at = muster_clock() WHERE id = '" + first.value() + "'");
            admit();
            open.commit();
        }
        admit();

        session.wake(Set.of());
        assertThat(session.exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(first);
    }
}
