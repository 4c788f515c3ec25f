package dev.muster.postgres.lines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Store;
import dev.muster.contracts.JobDraft;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import dev.muster.postgres.VisitedPages;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While a transaction stays open somewhere, every job that has passed a line leaves dead rows; admissions must not walk over them. */
class LinesUnderPinnedHorizonIT {
    private static final String LINE = "fair/acme";
    private static final int BATCH = 100;

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

    /** Lets some batches of jobs pass the line, two seconds each, and leaves one batch in it. */
    private void pass(int batches) {
        ClaimSession session =
                store.claims().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofMinutes(10)));
        for (int batch = 0; batch < batches; batch++) {
            store.jobs()
                    .enqueue(IntStream.range(0, BATCH)
                            .mapToObj(i -> JobDraft.named("a").line(LINE).job())
                            .toList());
            session.wake(Set.of());
            List<Outcome> outcomes = session.exchange(List.of(), BATCH).claimed().stream()
                    .map((ClaimedJob job) -> (Outcome) new Outcome.Completed(job.claim(), null))
                    .toList();
            assertThat(outcomes).hasSize(BATCH);
            session.exchange(outcomes, 0);
            store.claims().admit(Set.of(LINE));
            database.advance(Duration.ofSeconds(2));
        }
    }

    private long pages(boolean everything) throws SQLException {
        return VisitedPages.of(database, "SELECT * FROM muster_admit(ARRAY['" + LINE + "'], " + everything + ")");
    }

    @Test
    void anAdmissionReadsNoMoreAfterManyJobsThanAfterAFew() throws SQLException {
        try (Connection pin = database.transaction();
                Statement snapshot = pin.createStatement()) {
            snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            snapshot.execute("SELECT count(*) FROM muster_jobs");
            pass(5);
            long before = pages(false);

            pass(100);

            assertThat(pages(false)).as("pages that an admission reads").isLessThan(before + 400);
            assertThat(pages(true))
                    .as("pages that it would read from the beginning")
                    .isGreaterThan(before + 4_000);
        }
    }
}
