package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.gateway.internal.BodyRoom.Share;
import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BodyRoomTest {
    private static final int MEGABYTE = 1 << 20;

    @Test
    void aQuarterOfTheHeapHasRoomForSoManyBytes() {
        BodyRoom room = new BodyRoom(MEGABYTE, 1024L * MEGABYTE, Duration.ZERO);
        Share first = room.share();
        for (int i = 0; i < 3; i++) {
            room.share().take(MEGABYTE);
        }
        first.take(MEGABYTE - 16 * 1024);

        assertThatThrownBy(() -> room.share().take(MEGABYTE))
                .isInstanceOf(Refusal.class)
                .extracting(refused -> ((Refusal) refused).code())
                .isEqualTo("busy");
        assertThatCode(() -> room.share().take(1_000)).as("a small one").doesNotThrowAnyException();

        first.close();
        first.close();

        room.share().take(MEGABYTE - 16 * 1024);
        assertThatThrownBy(() -> room.share().take(MEGABYTE)).isInstanceOf(Refusal.class);
    }

    @Test
    void oneBodyAlwaysHasRoom() {
        BodyRoom room = new BodyRoom(64L * MEGABYTE, MEGABYTE, Duration.ZERO);

        room.share().take(64 * MEGABYTE);

        assertThatThrownBy(() -> room.share().take(64 * MEGABYTE)).isInstanceOf(Refusal.class);
    }

    @Test
    void whoComesTooEarlyWaits() {
        BodyRoom room = new BodyRoom(MEGABYTE, 1, Duration.ofMinutes(5));
        Share first = room.share();
        first.take(MEGABYTE);
        CompletableFuture<Boolean> second = GatewayNode.later(() -> room.share().take(MEGABYTE));
        assertThat(second).isNotDone();

        first.close();

        await().until(second::isDone);
        assertThat(second).isCompleted();
    }
}
