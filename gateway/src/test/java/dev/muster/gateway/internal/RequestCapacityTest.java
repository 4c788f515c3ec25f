package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.NodeStatus;
import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RequestCapacityTest {
    private final AtomicLong now = new AtomicLong();
    private final RequestCapacity capacity = RequestCapacity.ofRequests(2, () -> NodeStatus.ACTIVE, now::get);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void aFullGatewayWhoseRequestsEndDoesNotStandStill() {
        capacity.enter();
        capacity.enter();
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(9));
            assertThat(capacity.standsStill()).isFalse();
            capacity.leave();
            capacity.enter();
        }
    }

    @Test
    void aGatewayWhosePlacesAreTakenByTheSameRequestsStandsStillUntilOneEnds() {
        capacity.enter();
        pass(Duration.ofMinutes(5));
        assertThat(capacity.standsStill()).as("there is a place").isFalse();
        capacity.enter();
        assertThat(capacity.standsStill())
                .as("the last place was taken just now")
                .isFalse();
        pass(Duration.ofSeconds(11));
        assertThatThrownBy(capacity::enter).isInstanceOf(Refusal.class).hasMessageContaining("gateway.max_requests");
        assertThat(capacity.standsStill())
                .as("whoever is refused moves nothing")
                .isTrue();

        capacity.leave();

        assertThat(capacity.standsStill()).isFalse();
    }

    @Test
    void callersWhoTakeAllThatTheyGetLeavePlacesForOthers() {
        RequestCapacity large = RequestCapacity.ofRequests(128, () -> NodeStatus.ACTIVE, now::get);

        assertThat(takesAll(large, "a")).isEqualTo(96);
        assertThat(takesAll(large, "b")).isEqualTo(16);
        assertThat(takesAll(large, "c")).isEqualTo(8);
        assertThat(takesAll(large, "d")).isEqualTo(4);

        assertThat(takesAll(large, "others")).isPositive();
        large.leave("a");
        large.leave();
        large.enter();
        assertThatThrownBy(() -> large.share("a"))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining(
                        "this node handles 95 requests of yours already, and its last 32 places are for others");
    }

    private static int takesAll(RequestCapacity capacity, String caller) {
        for (int i = 0; ; i++) {
            capacity.enter();
            try {
                capacity.share(caller);
            } catch (Refusal refusal) {
                assertThat(refusal.status()).isIn(429, 503);
                capacity.leave();
                return i;
            }
        }
    }

    @Test
    void aSmallGatewayHasNoPlacesToShareOut() {
        for (String caller : List.of("a", "a")) {
            capacity.enter();
            capacity.share(caller);
        }
        assertThat(capacity.active()).isEqualTo(2);
    }

    @Test
    void filesHavePlacesOfTheirOwnAndSaySo() {
        RequestCapacity files = RequestCapacity.ofFiles(1, () -> NodeStatus.ACTIVE, now::get);
        files.enter();

        assertThatThrownBy(files::enter)
                .isInstanceOf(Refusal.class)
                .hasMessage("this node sends 1 files of the dashboard already")
                .satisfies(RequestCapacityTest::endsTheConnection);
    }

    private static void endsTheConnection(Throwable refusal) {
        assertThat(((Refusal) refusal).headers()).containsEntry("Connection", "close");
    }

    @Test
    void anAddressTakesHalfOfThePlacesForFilesAndLeavesTheOthers() {
        RequestCapacity files = RequestCapacity.ofFiles(32, () -> NodeStatus.ACTIVE, now::get);

        assertThat(takesAll(files, "a")).isEqualTo(16);
        files.enter();
        assertThatThrownBy(() -> files.share("a"))
                .isInstanceOf(Refusal.class)
                .hasMessage("this node sends 16 files of the dashboard to your address already, and its last 16 places"
                        + " are for others")
                .satisfies(RequestCapacityTest::endsTheConnection);
        files.leave();
        assertThat(takesAll(files, "b")).isEqualTo(8);
        assertThat(takesAll(files, "others")).isPositive();
    }
}
