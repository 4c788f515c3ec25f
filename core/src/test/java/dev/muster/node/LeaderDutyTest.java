package dev.muster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.NodeStore.Duty;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaderDutyTest {
    private static final Duration PAUSE = Duration.ofSeconds(7);

    private volatile boolean leads = true;
    private boolean replaced;
    private final CountDownLatch idled = new CountDownLatch(1);
    private final CountDownLatch worked = new CountDownLatch(1);
    private final Checking part = new Checking();

    private final class Checking extends LeaderDuty {
        Checking() {
            super("checking", Duty.CHECK_GRAPHS, new Role());
        }

        @Override
        protected Duration work() {
            worked.countDown();
            return leadership().fenced(tx -> PAUSE);
        }

        @Override
        protected void idle() {
            idled.countDown();
        }
    }

    private final class Role implements Leadership {
        @Override
        public LeaderRole role() {
            return LeaderRole.SCHEDULER;
        }

        @Override
        public Optional<LeaderTerm> current() {
            return leads ? Optional.of(new LeaderTerm(role(), "n1", new UUID(0, 0), 1, 1)) : Optional.empty();
        }

        @Override
        @SuppressWarnings("NullAway")
        public <T> T fenced(FencedWork<T> work) {
            if (replaced) {
                throw new StaleLeader("another node leads");
            }
            try {
                return work.run(null);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public Duration vacantFor() {
            return Duration.ZERO;
        }
    }

    private boolean hasIdled() {
        return idled.getCount() == 0;
    }

    private boolean hasWorked() {
        return worked.getCount() == 0;
    }

    @Test
    void worksWhileItLeadsAndThereIsSomethingToWorkOn() {
        part.due(Set.of(Duty.CHECK_GRAPHS));

        assertThat(part.step()).isEqualTo(PAUSE);
        assertThat(hasWorked()).isTrue();
        assertThat(hasIdled()).isFalse();
    }

    @Test
    void idlesWithoutItsDuty() {
        part.due(Set.of(Duty.CHECK_RUNS));

        assertThat(part.step()).isEqualTo(Duration.ofMinutes(1));
        assertThat(hasWorked()).isFalse();
        assertThat(hasIdled()).isTrue();
    }

    @Test
    void idlesWhileAnotherNodeLeads() {
        part.due(Set.of(Duty.CHECK_GRAPHS));
        leads = false;

        assertThat(part.step()).isEqualTo(Duration.ofMinutes(1));
        assertThat(hasWorked()).isFalse();
        assertThat(hasIdled()).isTrue();
    }

    @Test
    void aLeaderThatWasReplacedLooksAgainSoon() {
        part.due(Set.of(Duty.CHECK_GRAPHS));
        replaced = true;

        assertThat(part.step()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void aNodeThatLeadsAgainIsWokenByADutyThatItKnewBefore() throws InterruptedException {
        leads = false;
        part.due(Set.of(Duty.CHECK_GRAPHS));
        part.start();
        try {
            assertThat(idled.await(30, TimeUnit.SECONDS)).isTrue();
            leads = true;
            part.due(Set.of(Duty.CHECK_GRAPHS));
            assertThat(worked.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            part.stop();
        }
    }

    @Test
    void aNewDutyWakesIt() throws InterruptedException {
        part.start();
        try {
            assertThat(idled.await(30, TimeUnit.SECONDS)).isTrue();
            part.due(Set.of(Duty.CHECK_GRAPHS));
            assertThat(worked.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            part.stop();
        }
    }
}
