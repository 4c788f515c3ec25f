package dev.muster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.leader.LeaderRole;
import dev.muster.leader.TestLeadership;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaderDeletionsTest {
    private final TestLeadership leadership = new TestLeadership(LeaderRole.LOG_COMPACTOR);
    private final List<String> deleted = new ArrayList<>();
    private final LeaderDeletions retention = new LeaderDeletions(
            "test-retention",
            leadership,
            List.of(
                    tx -> {
                        deleted.add("runs");
                        return deleted.size() < 3;
                    },
                    tx -> {
                        deleted.add("days");
                        return false;
                    }));

    @Test
    void deletesWhileThereIsMoreAndThenWaits() {
        retention.step();

        assertThat(retention.step()).isEqualTo(Duration.ofMinutes(10));
        assertThat(deleted).containsExactly("runs", "runs", "runs", "days");
    }

    /** Rows that cannot be deleted, because something is wrong with them, would otherwise be all that is ever tried. */
    @Test
    void aDeletionThatFailsKeepsNoOtherFromItsTurn() {
        LeaderDeletions failing = new LeaderDeletions(
                "test-retention",
                leadership,
                List.of(
                        tx -> {
                            throw new MusterException("too slow");
                        },
                        tx -> {
                            deleted.add("days");
                            return false;
                        }));
        failing.step();

        assertThatThrownBy(failing::step).hasMessage("too slow");

        assertThat(deleted).containsExactly("days");
    }

    @Test
    void aNodeThatHasJustBegunToLeadWaitsFirst() {
        assertThat(retention.step()).isEqualTo(LeaderDeletions.FIRST_WAIT);
        assertThat(deleted).isEmpty();
        retention.step();
        deleted.clear();

        leadership.leads(false);
        retention.step();
        leadership.leads(true);

        assertThat(retention.step()).isEqualTo(LeaderDeletions.FIRST_WAIT);
        assertThat(deleted).isEmpty();
    }
}
