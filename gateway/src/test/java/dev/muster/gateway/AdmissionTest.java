package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.NodeStatus;
import dev.muster.gateway.route.Refusal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private final AtomicLong now = new AtomicLong();
    private final Admission admission = Admission.ofRequests(2, () -> NodeStatus.ACTIVE, now::get);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void aFullGatewayWhoseRequestsEndDoesNotStandStill() {
        admission.enter();
        admission.enter();
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(9));
            assertThat(admission.standsStill()).isFalse();
            admission.leave();
            admission.enter();
        }
    }

    @Test
    void aGatewayWhosePlacesAreTakenByTheSameRequestsStandsStillUntilOneEnds() {
        admission.enter();
        pass(Duration.ofMinutes(5));
        assertThat(admission.standsStill()).as("there is a place").isFalse();
        admission.enter();
        assertThat(admission.standsStill())
                .as("the last place was taken just now")
                .isFalse();
        pass(Duration.ofSeconds(11));
        assertThatThrownBy(admission::enter).isInstanceOf(Refusal.class).hasMessageContaining("gateway.max_requests");
        assertThat(admission.standsStill())
                .as("whoever is refused moves nothing")
                .isTrue();

        admission.leave();

        assertThat(admission.standsStill()).isFalse();
    }

    @Test
    void filesHavePlacesOfTheirOwnAndSaySo() {
        Admission files = Admission.ofFiles(1, () -> NodeStatus.ACTIVE, now::get);
        files.enter();

        assertThatThrownBy(files::enter)
                .isInstanceOf(Refusal.class)
                .hasMessage("this node sends 1 files of the dashboard already");
    }
}
