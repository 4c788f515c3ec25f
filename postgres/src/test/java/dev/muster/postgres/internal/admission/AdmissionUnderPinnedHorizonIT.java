package dev.muster.postgres.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobRate;
import dev.muster.postgres.VisitedPages;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.LongTest;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** While a transaction stays open somewhere, every job that has passed a group leaves dead rows; admissions must not walk over them. */
class AdmissionUnderPinnedHorizonIT {
    private static final Logger log = LoggerFactory.getLogger(AdmissionUnderPinnedHorizonIT.class);
    private static final String FAIR = "fair/acme";
    private static final String ONE_AT_A_TIME = "key/a/acme";
    private static final String TWO_AT_A_TIME = "name/b";
    private static final int CHUNK = 100;

    /** Enough for the floors to matter, and as many as a few minutes allow. */
    private static final int JOBS = Sizes.of(5_000, 200_000);

    private static final int RATED = Sizes.of(500, 20_000);

    private FreshDatabase database;
    private PostgresStore store;
    private ClaimSession session;
    private Connection pin;

    @BeforeEach
    void open() throws SQLException {
        database = new FreshDatabase();
        store = database.store();
        store.connect(Store.Events.ignored());
        session = store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(10)));
        pin = database.transaction();
        try (Statement snapshot = pin.createStatement()) {
            snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            snapshot.execute("SELECT count(*) FROM muster_jobs");
        }
    }

    @AfterEach
    void close() throws SQLException {
        pin.close();
        store.close();
        database.close();
    }

    private void enqueue(String group, int jobs) {
        store.jobs()
                .enqueue(IntStream.range(0, jobs)
                        .mapToObj(i -> JobDraft.named("a").group(group).job())
                        .toList());
    }

    /** This many jobs of the group are claimed and complete, and the next ones are admitted. */
    private void complete(String group, int jobs) {
        session.wake(Set.of());
        List<Outcome> outcomes = session.exchange(List.of(), jobs).claimed().stream()
                .map((ClaimedJob job) -> (Outcome) new Outcome.Completed(job.claim(), null))
                .toList();
        assertThat(outcomes).hasSize(jobs);
        session.exchange(outcomes, 0);
        store.claims().admit(Set.of(group));
    }

    /** The pages that an admission reads after this was done some more times, each time two seconds later, so that it raises floors. */
    private long pagesAfter(String group, Runnable step) throws SQLException {
        for (int i = 0; i < 5; i++) {
            database.advance(Duration.ofSeconds(2));
            step.run();
            database.awaitOlderTransactions();
        }
        return pages(group, false);
    }

    private long pages(String group, boolean everything) throws SQLException {
        return VisitedPages.of(database, "SELECT * FROM muster_admit(ARRAY['" + group + "'], " + everything + ")");
    }

    private long pagesOfSweep(String after) throws SQLException {
        String sql = new SqlFiles("public").get("admission/due");
        for (String value : List.of(after, "''", "NULL", "5000")) {
            sql = sql.replaceFirst("\\?", value);
        }
        return VisitedPages.of(database, sql);
    }

    @Test
    void anAdmissionReadsNoMoreAfterManyJobsThanAfterAFew() throws SQLException {
        Runnable chunk = () -> {
            enqueue(FAIR, CHUNK);
            complete(FAIR, CHUNK);
        };
        long before = pagesAfter(FAIR, chunk);

        for (int passed = 0; passed < JOBS; passed += CHUNK) {
            chunk.run();
            if (Sizes.full() && passed % (JOBS / 10) == 0) {
                log.info("an admission reads {} pages after {} jobs", pagesAfter(FAIR, chunk), passed);
            }
        }

        assertThat(pagesAfter(FAIR, chunk)).as("pages that an admission reads").isLessThan(before + 400);
        database.advance(Duration.ofMinutes(1));
        assertThat(pagesOfSweep("NULL")).as("pages that a sweep reads").isLessThan(50);
        assertThat(pagesOfSweep("'epoch'"))
                .as("pages that a search reads from the beginning")
                .isGreaterThan(50 + JOBS / 50);
        assertThat(pages(FAIR, true))
                .as("pages that it would read from the beginning")
                .isGreaterThan(before + JOBS * 2 / 5);
    }

    /** There always is an admitted job, and the last admission has just admitted it. */
    @Test
    void anAdmissionToTheOnlyPlaceOfAGroupReadsNoMoreAfterManyJobsThanAfterAFew() throws SQLException {
        enqueue(ONE_AT_A_TIME, 100);
        Runnable one = () -> {
            enqueue(ONE_AT_A_TIME, 1);
            complete(ONE_AT_A_TIME, 1);
        };
        long before = pagesAfter(ONE_AT_A_TIME, one);

        for (int i = 0; i < 500; i++) {
            one.run();
        }

        assertThat(pagesAfter(ONE_AT_A_TIME, one))
                .as("pages that an admission reads")
                .isLessThan(before + 50);
    }

    /** It would hold the floor of the group down, so that an admission walks over all that have passed it. */
    @Test
    void anAdmissionBesideALongJobReadsNoMoreAfterManyJobsThanAfterAFew() throws SQLException {
        database.stopClock(); // looks at the floors are a second apart: so there are as many as the test makes
        for (String group : List.of(FAIR, TWO_AT_A_TIME)) {
            store.port(AdmissionStore.class).publish(Map.of("b", new ConcurrencyLimit(2, "", false, null)), Set.of());
            int most = group.equals(FAIR) ? CHUNK : 1;
            int jobs = group.equals(FAIR) ? JOBS / 10 : JOBS / 20;
            Runnable some = () -> {
                enqueue(group, most);
                complete(group, most);
            };
            enqueue(group, 1);
            assertThat(session.exchange(List.of(), 1).claimed()).hasSize(1);
            long before = pagesAfter(group, some);

            for (int passed = 0; passed < jobs; passed += most) {
                some.run();
            }

            assertThat(pagesAfter(group, some))
                    .as("pages that an admission in %s reads", group)
                    .isLessThan(before + (group.equals(FAIR) ? 100 : 20));
            assertThat(pages(group, true))
                    .as("pages that it would read from the beginning")
                    .isGreaterThan(before + jobs / 5);
        }
    }

    /** Each admission notes what it leaves of the rate. */
    @LongTest(
            twin = AdmissionUnderPinnedHorizonIT.class,
            test = "anAdmissionToTheOnlyPlaceOfAGroupReadsNoMoreAfterManyJobsThanAfterAFew",
            why = "a group with a rate")
    @Test
    void anAdmissionInAGroupWithARateReadsNoMoreAfterManyJobsThanAfterAFew() throws SQLException {
        database.stopClock();
        JobRate rate = new JobRate(100_000, Duration.ofSeconds(1), 100_000);
        store.port(AdmissionStore.class).publish(Map.of("b", new ConcurrencyLimit(0, "", false, rate)), Set.of());
        String group = "name/b";
        Runnable one = () -> {
            enqueue(group, 1);
            complete(group, 1);
        };
        long before = pagesAfter(group, one);

        for (int second = 0; second < 10; second++) {
            database.advance(Duration.ofSeconds(2));
            for (int i = 0; i < RATED / 10; i++) {
                one.run();
            }
        }

        assertThat(pagesAfter(group, one)).as("pages that an admission reads").isLessThan(before + 25);
    }
}
