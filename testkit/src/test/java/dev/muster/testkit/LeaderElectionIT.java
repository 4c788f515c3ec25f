package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.LeaderConfig;
import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@MusterTest
class LeaderElectionIT {

    @Test
    void theFirstLeadsAndAfterItsReleaseTheSecondDoes(DataSource dataSource) {
        leadsInTurn(dataSource, LeaderConfig.defaults());
    }

    @ParameterizedTest
    @EnumSource
    void soItIsWithEachStrategy(Strategy strategy, DataSource dataSource) {
        Duration second = Duration.ofSeconds(1);
        leadsInTurn(dataSource, new LeaderConfig(strategy, second, second.multipliedBy(60), second));
    }

    private static void leadsInTurn(DataSource dataSource, LeaderConfig config) {
        try (LeaderElection one = new LeaderElection(dataSource, "one", LeaderRole.SCHEDULER, config);
                LeaderElection two = new LeaderElection(dataSource, "two", LeaderRole.SCHEDULER, config)) {
            assertThat(one.tryBecomeLeader()).isTrue();
            assertThat(two.tryBecomeLeader()).isFalse();
            assertThat(one.tryBecomeLeader()).as("it still does").isTrue();
            assertThat(one.leadership().term()).isEqualTo(1);

            one.releaseLeadership();
            assertThat(one.isLeader()).isFalse();
            assertThat(two.tryBecomeLeader()).isTrue();
            assertThat(one.tryBecomeLeader()).isFalse();
            assertThat(two.leadership().term()).isEqualTo(2);
            assertThatThrownBy(one::leadership).isInstanceOf(StaleLeader.class);

            two.releaseLeadership();
            assertThat(one.tryBecomeLeader()).isTrue();
        }
    }

    @Test
    void rolesDoNotMeet(DataSource dataSource) {
        LeaderConfig config = LeaderConfig.defaults();
        try (LeaderElection one = new LeaderElection(dataSource, "one", LeaderRole.SCHEDULER, config);
                LeaderElection two = new LeaderElection(dataSource, "two", LeaderRole.LOG_COMPACTOR, config)) {
            assertThat(one.tryBecomeLeader()).isTrue();
            assertThat(two.tryBecomeLeader()).isTrue();
        }
    }

    @Test
    void aLeaseThatIsNotLongerThanItsRenewalIsRefused(DataSource dataSource) {
        Duration second = Duration.ofSeconds(1);
        LeaderConfig config = new LeaderConfig(Strategy.LEASE, second, second, second);
        try (LeaderElection one = new LeaderElection(dataSource, "one", LeaderRole.SCHEDULER, config)) {
            assertThatThrownBy(one::tryBecomeLeader)
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("leader.lease (1000 ms) must be longer than leader.renew");
        }
    }
}
