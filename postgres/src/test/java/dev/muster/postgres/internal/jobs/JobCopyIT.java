package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.InvalidJob;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Many jobs at once are written in another way than few; nobody may see the difference. */
class JobCopyIT extends StoreOnFreshDatabase {
    private static final int MANY = 300;
    private static final String ROWS =
            "SELECT (to_jsonb(j) - '{id,run_at,ready_at,created_at}'::text[])::text" + " FROM muster_jobs j ORDER BY 1";

    @Test
    void theyLookLikeThoseWrittenOneByOne() {
        IntStream.range(0, MANY).forEach(i -> store.jobs().enqueue(List.of(awkward(i))));
        List<String> oneByOne = database.column(ROWS);
        database.execute("TRUNCATE muster_jobs");

        store.jobs()
                .enqueue(IntStream.range(0, MANY).mapToObj(JobCopyIT::awkward).toList());

        assertThat(database.column(ROWS)).hasSize(MANY).isEqualTo(oneByOne);
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE created_at = run_at"
                        + " AND abs(date_part('epoch', ready_at - run_at)) < 1"
                        + " AND ready_at BETWEEN now() - interval '1 minute' AND now()"))
                .isEqualTo(MANY);
        assertThat(database.number("SELECT count(DISTINCT ready_at) FROM muster_jobs"))
                .as("a cursor can stand between any two")
                .isEqualTo(MANY);
    }

    @Test
    void theTransactionHasItsNumberBeforeTheClockIsRead() {
        database.execute("CREATE FUNCTION refuse_without_number() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " IF pg_current_xact_id_if_assigned() IS NULL THEN RAISE EXCEPTION 'no number yet'; END IF;"
                + " RETURN NULL; END $$");
        database.execute("CREATE TRIGGER numbered BEFORE INSERT ON muster_jobs FOR EACH STATEMENT"
                + " EXECUTE FUNCTION refuse_without_number()");

        store.jobs()
                .enqueue(IntStream.range(0, MANY)
                        .mapToObj(i -> JobDraft.plain("copied"))
                        .toList());
        store.jobs()
                .enqueue(List.of(
                        JobDraft.named("given").id(JobDraft.plain("other").id()).job()));

        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(MANY + 1);
    }

    private static NewJob awkward(int i) {
        List<String> texts = List.of(
                "{\"a\": \"tab\\tline\\nreturn\\r back\\\\slash \\\"quoted\\\"\"}",
                "{\n\t\"b\":\r\n \"\\\\N\"}",
                "\"\\\\.\"",
                "{\"c\": \"größer 日本 \uD83D\uDE80\"}",
                "null");
        return JobDraft.named("job-" + i % 7)
                .args(texts.get(i % texts.size()))
                .lane(i % 2 == 0 ? "default" : "mail", i % 3 == 0 ? "gpu" : "")
                .priority(Priority.values()[i % 5])
                .maxAttempts(i % 4 + 1)
                .tags(i % 2 == 0 ? new String[] {"a", "b"} : new String[0])
                .job();
    }

    @Test
    void onlyManyThatAreDueAtOnceAreCopied() throws Exception {
        NewJob later = JobDraft.named("a").delay(Duration.ofHours(1)).job();
        try (Connection connection = database.connection()) {
            assertThat(JobCopy.suits(connection, many())).isTrue();
            assertThat(JobCopy.suits(connection, many().subList(0, 10))).isFalse();
            assertThat(JobCopy.suits(
                            connection,
                            Stream.concat(many().stream(), Stream.of(later)).toList()))
                    .isFalse();
        }
    }

    @Test
    void oneThatIsRefusedKeepsAllOut() {
        List<NewJob> jobs = new ArrayList<>(many());
        jobs.set(MANY / 2, JobDraft.named("a").args("{\"x\": \"\\u0000\"}").job());

        assertThatThrownBy(() -> store.jobs().enqueue(jobs)).isInstanceOf(InvalidJob.class);

        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(store.jobs().enqueue(many())).hasSize(MANY);
    }

    @Test
    void inACallersTransactionTheyComeAndGoWithIt() throws Exception {
        try (Connection connection = database.transaction()) {
            store.jobs().enqueue(connection, many());
            connection.rollback();
            assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
            store.jobs().enqueue(connection, many());
            connection.commit();
        }
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(MANY);
    }

    @Test
    void oneThatIsDelayedIsDelayed() {
        NewJob later = JobDraft.named("a").delay(Duration.ofHours(1)).job();

        store.jobs().enqueue(Stream.concat(many().stream(), Stream.of(later)).toList());

        assertThat(database.column("SELECT id FROM muster_jobs WHERE ready_at > now() + interval '59 minutes'"))
                .containsExactly(later.id().toString());
    }

    private static List<NewJob> many() {
        return IntStream.range(0, MANY).mapToObj(i -> JobDraft.named("a").job()).toList();
    }
}
