package dev.muster.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.MusterConfig;
import dev.muster.internal.maintenance.MaintenanceStore.Days;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.TestLeadership;
import dev.muster.runtime.MusterException;
import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.MinuteMetrics;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When old days and rows are looked at. */
class RetentionCleanerTest {
    private final Store store = new Store();
    private long nanos;
    private final RetentionCleaner cleaner = new RetentionCleaner(
            store,
            new TestLeadership(LeaderRole.LOG_COMPACTOR),
            MusterConfig.defaults().history(),
            () -> nanos);

    private static final class Store implements MaintenanceStore {
        boolean busy;
        long stretches;
        int tries;
        final List<Days> looked = new ArrayList<>();
        Set<Days> refused = Set.of();
        Runnable onStretch = () -> {};
        int locksLookedAt;

        @Override
        public JobMetrics figures(Duration since) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MinuteMetrics minutes(Duration since, Optional<String> queue, int mostQueues) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<MinuteMetrics.Minute> lastMinutes(int minutes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Dropped dropOldestDay(Connection tx, Days of, Duration retain) {
            looked.add(of);
            if (refused.contains(of)) {
                throw new MusterException("the database refused a statement");
            }
            tries += of == Days.HISTORY ? 1 : 0;
            return busy && of == Days.HISTORY ? Dropped.BUSY : Dropped.NONE;
        }

        @Override
        public Stretch forgetKeys(Connection tx, Duration retain, long fromPage) {
            onStretch.run();
            return new Stretch(1_000, fromPage + 1 < stretches ? fromPage + 1 : 0);
        }

        @Override
        public Stretch forgetLocks(Connection tx, Duration freeFor, long fromPage) {
            locksLookedAt++;
            return new Stretch(0, 0);
        }

        @Override
        public Stretch forgetRateLimits(Connection tx, Duration endedFor, long fromPage) {
            return new Stretch(0, 0);
        }

        @Override
        public int forgetPlacements(Connection tx) {
            return 0;
        }

        @Override
        public Duration writeMinute(Connection tx) {
            throw new UnsupportedOperationException();
        }
    }

    private Duration tick() {
        Duration wait = cleaner.lead();
        nanos += wait.toNanos();
        return wait;
    }

    @Test
    void aDayThatIsReadForHoursIsTriedLessAndLessOften() {
        store.busy = true;
        List<Long> seconds = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            seconds.add(tick().toSeconds());
        }

        // Keys are looked at every ten minutes in between.
        assertThat(seconds).startsWith(2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L);
        assertThat(store.tries).isLessThanOrEqualTo(12);
        nanos += Duration.ofHours(1).toNanos();
        int before = store.tries;
        long night = nanos + Duration.ofHours(6).toNanos();
        while (nanos < night) {
            tick();
        }
        assertThat(store.tries - before).isBetween(36, 40);

        store.busy = false;
        nanos += Duration.ofMinutes(10).toNanos();
        tick();
        store.busy = true;
        nanos += Duration.ofMinutes(10).toNanos();
        cleaner.lead();
        assertThat(cleaner.lead()).isEqualTo(Duration.ofSeconds(2));
    }

    /** Such as a history whose oldest day somebody has put behind a foreign key. */
    @Test
    void oneKindOfDaysThatCannotBeDroppedKeepsNoOtherFromBeingDropped() {
        for (Days refused : Days.values()) {
            store.refused = Set.of(refused);
            store.looked.clear();
            nanos += Duration.ofHours(1).toNanos();

            assertThat(cleaner.lead()).as("tried again soon").isLessThan(Duration.ofMinutes(1));

            assertThat(store.looked).as("%s cannot be dropped", refused).containsExactly(Days.values());
        }
    }

    @Test
    void aTableThatCannotBeWalkedThroughKeepsNoOtherFromItsTurn() {
        store.onStretch = () -> {
            throw new MusterException("too slow");
        };

        assertThatThrownBy(cleaner::lead).hasMessage("too slow");

        assertThat(store.locksLookedAt).isEqualTo(1);
    }

    @Test
    void aTickEndsHoweverManyKeysThereAre() {
        store.stretches = 1_000_000;
        store.onStretch = () -> nanos += Duration.ofMillis(100).toNanos();

        assertThat(tick()).isEqualTo(Duration.ofSeconds(2));

        assertThat(Duration.ofNanos(nanos)).isLessThan(Duration.ofSeconds(8));
        long tenMinutes = nanos + Duration.ofMinutes(10).toNanos();
        while (nanos < tenMinutes) {
            tick();
        }
        assertThat(store.tries).isEqualTo(2);
    }
}
