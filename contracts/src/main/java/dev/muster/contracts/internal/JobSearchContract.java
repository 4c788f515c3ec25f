package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.PageText;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Searches in every {@link JobReader}: a page of large jobs ends early, and the next page continues after it. */
abstract class JobSearchContract extends JobStoreContract {
    private static final int JOBS = 40;
    private static final int LARGE = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The ids of the jobs, the newest first. */
    private List<JobId> enqueueLarge() {
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            ids.add(enqueue(JobDraft.named("large")
                    .tags("heavy")
                    .args("\"" + "x".repeat(LARGE) + "\"")
                    .job()));
        }
        Collections.sort(ids, Collections.reverseOrder((a, b) -> a.toString().compareTo(b.toString())));
        return ids;
    }

    private List<JobPage> pages(JobQuery query) {
        List<JobPage> pages = new ArrayList<>();
        JobPage page = store().jobReader().search(query, PATIENCE);
        pages.add(page);
        while (page.next().isPresent()) {
            assertThat(page.jobs()).isNotEmpty();
            page = store().jobReader().search(query.before(page.next().get()), PATIENCE);
            pages.add(page);
        }
        return pages;
    }

    private static List<JobId> ids(List<JobPage> pages) {
        return pages.stream()
                .flatMap(page -> page.jobs().stream())
                .map(JobInfo::id)
                .toList();
    }

    @Test
    void aPageOfLargeJobsEndsEarlyAndEveryJobIsOnOnePage() {
        List<JobId> all = enqueueLarge();
        for (JobQuery query : List.of(
                JobQuery.all(),
                JobQuery.all().tags("heavy"),
                JobQuery.all().ids(all),
                JobQuery.all().status(JobStatus.PENDING).name("large"))) {
            List<JobPage> pages = pages(query.limit(1_000));

            assertThat(ids(pages)).as("%s", query).isEqualTo(all);
            assertThat(pages).hasSizeBetween(3, 4);
            assertThat(pages).allSatisfy(page -> {
                assertThat(text(page)).isLessThanOrEqualTo(PageText.SEARCH_LIMIT);
                assertThat(page.searchedBackTo()).isEmpty();
            });
        }
    }

    private static long text(JobPage page) {
        return page.jobs().stream().mapToLong(job -> job.args().length()).sum();
    }

    @Test
    void endedJobsCountWithTheirErrors() {
        List<JobId> all = enqueueLarge();
        String error = "x".repeat(LARGE);
        ClaimSession claims = claims("n1");
        // A few at a time: the first claim of a session has 2 s, and a busy server needs longer to send all of it.
        for (int claimed = 0; claimed < JOBS; claimed += 4) {
            claims.exchange(List.of(), 4).claimed().forEach(job -> write(new Outcome.Failed(job.claim(), error)));
        }

        List<JobPage> pages = pages(JobQuery.all().status(JobStatus.FAILED).limit(1_000));

        assertThat(ids(pages)).isEqualTo(all);
        assertThat(pages).hasSizeGreaterThan(4);
    }

    @Test
    void aJobThatIsLargerThanAPageIsAPage() {
        String error = "x".repeat((int) PageText.SEARCH_LIMIT + 1);
        List<JobId> ids = List.of(
                enqueue(JobDraft.named("large").job()),
                enqueue(JobDraft.named("large").job()));
        claims("n1").exchange(List.of(), JOBS).claimed().forEach(job -> write(new Outcome.Failed(job.claim(), error)));

        List<JobPage> pages = pages(JobQuery.all());

        assertThat(ids(pages)).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(pages).hasSize(2);
    }

    @Test
    void aListHasThemAll() {
        List<JobId> all = enqueueLarge();

        assertThat(store().jobReader().list(JobQuery.all().limit(1_000)))
                .extracting(JobInfo::id)
                .isEqualTo(all);
        assertThat(store().jobReader().list(JobQuery.all().tags("heavy").limit(1_000)))
                .hasSize(JOBS);
    }

    @Test
    void aKeyFindsTheJobsThatHoldItLiveAndEnded() {
        JobId mail = enqueue(JobDraft.named("mail").key("order-1").job());
        JobId bill = enqueue(JobDraft.named("bill").key("order-1").job());
        enqueue(JobDraft.named("mail").key("order-2").job());
        enqueue(JobDraft.named("ship").job());
        claims("n1").exchange(List.of(), JOBS).claimed().stream()
                .filter(job -> job.id().equals(mail))
                .forEach(job -> write(new Outcome.Failed(job.claim(), "no")));

        assertThat(ids(pages(JobQuery.all().key("order-1")))).containsExactlyInAnyOrder(mail, bill);
        assertThat(ids(pages(JobQuery.all().key("order-1").name("mail")))).containsExactly(mail);
        assertThat(ids(pages(JobQuery.all().key("order-1").status(JobStatus.FAILED))))
                .containsExactly(mail);
        assertThat(ids(pages(JobQuery.all().key("order-1").ids(List.of(bill))))).containsExactly(bill);
        assertThat(ids(pages(JobQuery.all().key("order-3")))).isEmpty();
        assertThat(ids(pages(JobQuery.all().key("order-1").name("ship")))).isEmpty();
    }

    @Test
    void metadataCountsToo() {
        String metadata = "{\"m\": \"" + "x".repeat(LARGE) + "\"}";
        for (int i = 0; i < JOBS; i++) {
            enqueue(JobDraft.named("large").metadata(metadata).job());
        }

        assertThat(pages(JobQuery.all().limit(1_000))).hasSizeBetween(3, 4);
    }
}
