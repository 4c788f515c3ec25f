package dev.muster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.TestLeadership;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaderDutyTest {
    private static final Duration PAUSE = Duration.ofSeconds(7);

    private final TestLeadership leadership = new TestLeadership(LeaderRole.SCHEDULER);
    private final CountDownLatch idled = new CountDownLatch(1);
    private final CountDownLatch worked = new CountDownLatch(1);
    private final Checking part = new Checking();

    private final class Checking extends LeaderDuty {
        Checking() {
            super("checking", Duty.CHECK_GRAPHS, leadership);
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
        leadership.leads(false);

        assertThat(part.step()).isEqualTo(Duration.ofMinutes(1));
        assertThat(hasWorked()).isFalse();
        assertThat(hasIdled()).isTrue();
    }

    @Test
    void aLeaderThatWasReplacedLooksAgainSoon() {
        part.due(Set.of(Duty.CHECK_GRAPHS));
        leadership.replace();

        assertThat(part.step()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void aNodeThatLeadsAgainIsWokenByADutyThatItKnewBefore() throws InterruptedException {
        leadership.leads(false);
        part.due(Set.of(Duty.CHECK_GRAPHS));
        part.start();
        try {
            assertThat(idled.await(1, TimeUnit.MINUTES)).isTrue();
            leadership.leads(true);
            part.due(Set.of(Duty.CHECK_GRAPHS));
            assertThat(worked.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            part.stop();
        }
    }

    @Test
    void aNewDutyWakesIt() throws InterruptedException {
        part.start();
        try {
            assertThat(idled.await(1, TimeUnit.MINUTES)).isTrue();
            part.due(Set.of(Duty.CHECK_GRAPHS));
            assertThat(worked.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            part.stop();
        }
    }
}
