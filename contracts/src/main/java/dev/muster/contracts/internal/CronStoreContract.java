package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.internal.schedule.CronStore;
import dev.muster.internal.schedule.CronStore.Due;
import dev.muster.internal.schedule.CronStore.DueCrons;
import dev.muster.internal.schedule.CronStore.Moved;
import dev.muster.internal.schedule.CronStore.TickRow;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.JobStatus;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronInfo.Source;
import dev.muster.schedule.CronTick;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which definition of a cron is in force, when it is due, and that each of its ticks is handled once. */
abstract class CronStoreContract extends PortContract {
    private static final String HOURLY = "0 * * * *";
    private static final Duration SILENCE = Duration.ofMinutes(3);

    private CronStore crons() {
        return store().port(CronStore.class);
    }

    private static CronDefinition cron(String name, String expression) {
        return new CronDefinition(
                name,
                expression,
                "UTC",
                Misfire.FIRE_ONCE,
                1,
                Overlap.ALLOW,
                Duration.ZERO,
                "job",
                "{}",
                JobOptions.NONE);
    }

    private CronInfo find(String name) {
        return crons().find(name).orElseThrow();
    }

    private void moveTo(String name, Instant next) {
        move(new Moved(name, next, null, null));
    }

    private void move(Moved moved) {
        inTransaction(tx -> {
            crons().advance(tx, List.of(moved));
            return null;
        });
    }

    /** A cron whose next tick is that far from now. */
    private Instant dynamic(String name, Duration next) {
        assertThat(crons().create(cron(name, HOURLY))).isTrue();
        Instant tick = crons().now().plus(next).truncatedTo(ChronoUnit.MILLIS);
        moveTo(name, tick);
        return tick;
    }

    /** The rows that were not there before. */
    private Set<TickRow> recordTicks(TickRow... rows) {
        return inTransaction(tx -> crons().recordTicks(tx, List.of(rows)));
    }

    private boolean forgetTicks(Duration retain) {
        return inTransaction(tx -> crons().forgetTicks(tx, retain));
    }

    private List<String> due() {
        return crons().dueCrons(10, List.of()).due();
    }

    @Test
    void aCronIsCreatedOnceAndFoundUnderItsName() {
        CronDefinition first = cron("report", HOURLY);
        assertThat(crons().create(first)).isTrue();
        assertThat(crons().create(cron("report", "5 * * * *"))).isFalse();

        assertThat(find("report").definition()).isEqualTo(first);
        assertThat(find("report").source()).isEqualTo(Source.DYNAMIC);
        assertThat(crons().find("nobody")).isEmpty();
        crons().create(cron("alpha", HOURLY));
        assertThat(crons().list()).extracting(CronInfo::name).containsExactly("alpha", "report");
    }

    @Test
    void onlyDynamicCronsAreUpdatedAndDeleted() {
        crons().publish(List.of(cron("code", HOURLY)));
        crons().create(cron("made", HOURLY));

        assertThat(crons().update(cron("code", "5 * * * *"), Optional.empty())).isFalse();
        assertThat(crons().delete("code", Optional.empty())).isFalse();
        assertThat(crons().update(cron("made", "5 * * * *"), Optional.empty())).isTrue();
        assertThat(find("made").definition().expression()).isEqualTo("5 * * * *");
        assertThat(crons().delete("made", Optional.empty())).isTrue();
        assertThat(crons().update(cron("made", HOURLY), Optional.empty())).isFalse();
        assertThat(crons().delete("made", Optional.empty())).isFalse();
        assertThat(crons().list()).extracting(CronInfo::name).containsExactly("code");
    }

    @Test
    public void whatSomebodyElseHasChangedIsNotOverwritten() {
        crons().create(cron("made", HOURLY));
        Optional<Instant> read = crons().current("made").map(CronInfo::updatedAt);
        assertThat(crons().update(cron("made", "5 * * * *"), read)).isTrue();

        assertThat(crons().update(cron("made", "7 * * * *"), read)).isFalse();
        assertThat(crons().delete("made", read)).isFalse();

        CronInfo now = crons().current("made").orElseThrow();
        assertThat(now.definition().expression()).isEqualTo("5 * * * *");
        assertThat(now.updatedAt()).isAfter(read.orElseThrow());
        assertThat(crons().delete("made", Optional.of(now.updatedAt()))).isTrue();
    }

    @Test
    void theNewestOfWhatNodesPublishIsInForce() {
        assertThat(crons().publish(List.of(cron("code", HOURLY))))
                .as("it is new")
                .isTrue();
        assertThat(crons().publish(List.of(cron("code", HOURLY))))
                .as("the same")
                .isFalse();
        advance(Duration.ofSeconds(1));

        assertThat(crons().publish(List.of(cron("code", "5 * * * *"))))
                .as("new code")
                .isTrue();
        assertThat(crons().publish(List.of(cron("code", HOURLY))))
                .as("a node with the old code")
                .isFalse();

        assertThat(find("code").definition().expression()).isEqualTo("5 * * * *");
        assertThat(find("code").source()).isEqualTo(Source.STATIC);
    }

    @Test
    void publishingLeavesADynamicCronOfTheSameNameAlone() {
        crons().create(cron("mine", HOURLY));

        assertThat(crons().publish(List.of(cron("mine", "5 * * * *")))).isFalse();

        assertThat(find("mine").definition().expression()).isEqualTo(HOURLY);
    }

    @Test
    void aStaticCronThatNobodyPublishesIsGoneAndComesBackWithItsNextTick() {
        crons().publish(List.of(cron("code", HOURLY)));
        crons().create(cron("made", HOURLY));
        Instant next = crons().now().plus(Duration.ofMinutes(1)).truncatedTo(ChronoUnit.MILLIS);
        moveTo("code", next);
        assertThat(crons().markGone(SILENCE)).as("published just now").isEmpty();
        advance(SILENCE.plusSeconds(1));

        assertThat(crons().markGone(SILENCE)).containsExactly("code");

        assertThat(crons().markGone(SILENCE)).as("marked already").isEmpty();
        assertThat(find("code").goneAt()).isPresent();
        assertThat(due()).as("what is gone does not tick").containsExactly("made");
        assertThat(crons().publish(List.of(cron("code", HOURLY)))).isTrue();
        assertThat(find("code").goneAt()).isEmpty();
        assertThat(find("code").nextTick()).contains(next);
    }

    @Test
    void aCronThatHasBeenGoneForThirtyDaysIsRemovedUnlessItIsPaused() {
        crons().publish(List.of(cron("code", HOURLY), cron("paused", HOURLY)));
        crons().pause("paused");
        advance(SILENCE.plusSeconds(1));
        crons().markGone(SILENCE);
        advance(Duration.ofDays(29));
        crons().markGone(SILENCE);
        assertThat(crons().list()).hasSize(2);

        advance(Duration.ofDays(2));
        crons().markGone(SILENCE);

        assertThat(crons().list()).extracting(CronInfo::name).containsExactly("paused");
    }

    @Test
    void aTickThatIsDueStaysDueWhenTheCronChanges() {
        Instant tick = dynamic("due", Duration.ofSeconds(-1));
        dynamic("later", Duration.ofHours(1));

        crons().update(cron("due", "5 * * * *"), Optional.empty());
        crons().update(cron("later", "5 * * * *"), Optional.empty());

        assertThat(find("due").nextTick()).contains(tick);
        assertThat(find("later").nextTick()).as("to be recomputed").isEmpty();
    }

    @Test
    void aPausedCronIsNotDueAndItsNextTickIsComputedAgainAfterwards() {
        dynamic("report", Duration.ofSeconds(-1));

        assertThat(crons().pause("report")).isTrue();

        Instant since = find("report").pausedAt().orElseThrow();
        assertThat(due()).isEmpty();
        advance(Duration.ofMinutes(1));
        crons().pause("report");
        assertThat(find("report").pausedAt()).as("paused already").contains(since);
        inTransaction(tx -> {
            assertThat(crons().lockDue(tx, List.of("report")).crons()).isEmpty();
            return null;
        });

        assertThat(crons().resume("report")).isTrue();
        assertThat(find("report").nextTick()).isEmpty();
        assertThat(due()).containsExactly("report");
        assertThat(crons().pause("nobody")).isFalse();
        assertThat(crons().resume("nobody")).isFalse();
    }

    @Test
    void theLongestDueComesFirstAndTheAnswerSaysWhenTheNextOneIs() {
        dynamic("second", Duration.ofSeconds(-10));
        dynamic("first", Duration.ofSeconds(-20));
        dynamic("third", Duration.ofSeconds(-5));
        dynamic("later", Duration.ofSeconds(100));

        assertThat(crons().dueCrons(2, List.of()).due()).containsExactly("first", "second");
        DueCrons dueCrons = crons().dueCrons(10, List.of("second"));
        assertThat(dueCrons.due()).containsExactly("first", "third");
        assertThat(dueCrons.next().orElseThrow()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(100));
    }

    @Test
    void whatAnotherTransactionHasLockedIsLeftOut() throws Exception {
        dynamic("due", Duration.ofSeconds(-1));
        dynamic("later", Duration.ofHours(1));
        try (Connection one = transaction();
                Connection other = transaction()) {
            Due locked = crons().lockDue(one, List.of("due", "later"));
            assertThat(locked.crons()).extracting(CronInfo::name).containsExactly("due");
            assertThat(locked.now()).isAfterOrEqualTo(find("due").nextTick().orElseThrow());

            assertThat(crons().lockDue(other, List.of("due", "later")).crons()).isEmpty();

            other.rollback();
            one.rollback();
        }
        assertThat(inTransaction(tx -> crons().lockDue(tx, List.of("due"))).crons())
                .hasSize(1);
    }

    @Test
    void lockingTellsWhichLastJobsHaveNotEnded() {
        dynamic("busy", Duration.ofSeconds(-1));
        dynamic("free", Duration.ofSeconds(-1));
        JobId live = store().jobs().enqueue(List.of(JobDraft.plain("a"))).get(0);
        JobId ended = store().jobs().enqueue(List.of(JobDraft.plain("b"))).get(0);
        store().jobs().cancel(ended);
        Instant tick = crons().now().minusSeconds(1);
        move(new Moved("busy", tick, tick, live));
        move(new Moved("free", tick, tick, ended));

        Due due = inTransaction(tx -> crons().lockDue(tx, List.of("busy", "free")));

        assertThat(due.live()).containsExactly(live);
    }

    @Test
    void eachTickIsRecordedOnce() {
        Instant tick = dynamic("report", Duration.ofSeconds(-1));
        TickRow first = new TickRow("report", tick, JobId.next());
        TickRow again = new TickRow("report", tick, JobId.next());
        TickRow next = new TickRow("report", tick.plusSeconds(60), null);

        assertThat(recordTicks(first)).containsExactly(first);
        assertThat(recordTicks(again, next)).as("another leader comes second").containsExactly(next);
    }

    @Test
    void theHistoryHasTheNewestTicksAndWhatBecameOfTheirJobs() {
        Instant tick = dynamic("report", Duration.ofSeconds(-1));
        JobId live = store().jobs().enqueue(List.of(JobDraft.plain("job"))).get(0);
        JobId ended = store().jobs().enqueue(List.of(JobDraft.plain("job"))).get(0);
        store().jobs().cancel(ended);
        JobId gone = JobId.next();
        recordTicks(
                new TickRow("report", tick, gone),
                new TickRow("report", tick.plusSeconds(60), ended),
                new TickRow("report", tick.plusSeconds(120), null),
                new TickRow("report", tick.plusSeconds(180), live),
                new TickRow("other", tick.plusSeconds(240), null));

        List<CronTick> history = crons().history("report", 10);

        assertThat(history)
                .extracting(CronTick::at, CronTick::job, CronTick::status)
                .containsExactly(
                        tuple(tick.plusSeconds(180), Optional.of(live), Optional.of(JobStatus.PENDING)),
                        tuple(tick.plusSeconds(120), Optional.empty(), Optional.empty()),
                        tuple(tick.plusSeconds(60), Optional.of(ended), Optional.of(JobStatus.CANCELLED)),
                        tuple(tick, Optional.of(gone), Optional.empty()));
        assertThat(history.get(0).finishedAt()).isEmpty();
        assertThat(history.get(2).finishedAt()).isPresent();
        assertThat(crons().history("report", 1)).containsExactly(history.get(0));
        assertThat(crons().history("nobody", 1)).isEmpty();
    }

    @Test
    void ticksAreForgottenAfterTheirTime() {
        Instant tick = dynamic("report", Duration.ofSeconds(-1));
        TickRow row = new TickRow("report", tick, null);
        recordTicks(row);
        advance(Duration.ofDays(2));

        assertThat(forgetTicks(Duration.ofDays(3))).isFalse();
        assertThat(recordTicks(row)).as("kept").isEmpty();
        assertThat(forgetTicks(Duration.ofDays(1))).isFalse();
        assertThat(recordTicks(row)).containsExactly(row);
    }

    @Test
    void aCronThatMovesOnKeepsItsLastJobUntilThereIsAnother() {
        Instant tick = dynamic("report", Duration.ofSeconds(-1));
        JobId job = JobId.next();

        move(new Moved("report", tick.plusSeconds(60), tick, job));
        moveTo("report", tick.plusSeconds(120));

        assertThat(find("report")).satisfies(cron -> {
            assertThat(cron.nextTick()).contains(tick.plusSeconds(120));
            assertThat(cron.lastTick()).contains(tick);
            assertThat(cron.lastJob()).contains(job);
        });
        assertThat(due()).isEmpty();
    }

    @Test
    void aCronThatCouldNotFireIsDueAgainLaterAndSaysWhy() {
        Instant tick = dynamic("report", Duration.ofSeconds(-1));

        inTransaction(tx -> {
            crons().noteProblems(tx, Map.of("report", "no such queue"), Duration.ofSeconds(30));
            return null;
        });

        assertThat(find("report").problem()).contains("no such queue");
        assertThat(due()).isEmpty();
        assertThat(crons().dueCrons(10, List.of()).next().orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(30));
        advance(Duration.ofSeconds(31));
        assertThat(due()).containsExactly("report");
        assertThat(find("report").nextTick()).as("the tick stays due").contains(tick);
        moveTo("report", tick.plusSeconds(3_600));
        assertThat(find("report").problem()).isEmpty();
    }
}
