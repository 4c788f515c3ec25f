package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.gateway.internal.BodyRoom.Share;
import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BodyRoomTest {
    private static final int MEGABYTE = 1 << 20;

    @Test
    void aQuarterOfTheHeapHasRoomForSoManyBytes() {
        BodyRoom room = new BodyRoom(MEGABYTE, 1024L * MEGABYTE, Duration.ZERO);
        Share first = room.share("ada");
        for (int i = 0; i < 3; i++) {
            room.share("caller " + i).take(MEGABYTE);
        }
        first.take(MEGABYTE);

        assertThatThrownBy(() -> room.share("bob").take(MEGABYTE))
                .isInstanceOf(Refusal.class)
                .extracting(refused -> ((Refusal) refused).code())
                .isEqualTo("busy");
        assertThatCode(() -> room.share("bob").take(1_000)).as("a small one").doesNotThrowAnyException();

        first.close();
        first.close();

        room.share("bob").take(MEGABYTE);
        assertThatThrownBy(() -> room.share("ada").take(MEGABYTE)).isInstanceOf(Refusal.class);
    }

    @Test
    void oneBodyAlwaysHasRoom() {
        BodyRoom room = new BodyRoom(64L * MEGABYTE, MEGABYTE, Duration.ZERO);

        room.share("ada").take(64 * MEGABYTE);

        assertThatThrownBy(() -> room.share("bob").take(64 * MEGABYTE)).isInstanceOf(Refusal.class);
    }

    @Test
    void whoComesTooEarlyWaits() {
        BodyRoom room = new BodyRoom(MEGABYTE, 1, Duration.ofMinutes(5));
        Share first = room.share("ada");
        first.take(MEGABYTE);
        CompletableFuture<Boolean> second =
                GatewayNode.later(() -> room.share("ada").take(MEGABYTE));
        assertThat(second).isNotDone();

        first.close();

        await().until(second::isDone);
        assertThat(second).isCompleted();
    }

    @Test
    void whoHasNoneComesBeforeAllOfOneWhoHasMuch() {
        BodyRoom room = new BodyRoom(MEGABYTE, 1024L * MEGABYTE, Duration.ofMinutes(5));
        Share first = room.share("greedy");
        first.take(MEGABYTE);
        Share second = room.share("greedy");
        second.take(MEGABYTE);
        Share third = room.share("greedy");
        third.take(MEGABYTE);
        List<CompletableFuture<Boolean>> more = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            more.add(GatewayNode.later(() -> room.share("greedy").take(MEGABYTE)));
        }
        await().until(() -> room.waiting() == 10);

        room.share("modest").take(MEGABYTE);
        CompletableFuture<Boolean> another =
                GatewayNode.later(() -> room.share("another").take(MEGABYTE));
        await().until(() -> room.waiting() == 11);
        first.close();

        await().until(another::isDone);
        assertThat(more).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void bodiesThatHaveArrivedHaveAnEighthOfTheHeap() {
        ArrivedBodies arrived = new ArrivedBodies(MEGABYTE, 64L * MEGABYTE);
        List<ArrivedBodies.Share> greedy = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ArrivedBodies.Share share = arrived.share("greedy");
            share.growTo(MEGABYTE / 2);
            share.growTo(MEGABYTE);
            greedy.add(share);
        }

        assertThatThrownBy(() -> arrived.share("greedy").growTo(MEGABYTE))
                .as("the rest is for others")
                .isInstanceOf(Refusal.class)
                .extracting(refused -> ((Refusal) refused).code())
                .isEqualTo("busy");
        ArrivedBodies.Share modest = arrived.share("modest");
        modest.growTo(16 << 10);
        assertThat(arrived.free()).as("a small one does not count").isEqualTo(2 * MEGABYTE);
        modest.growTo(MEGABYTE);
        arrived.share("another").growTo(MEGABYTE);
        assertThatThrownBy(() -> arrived.share("third").growTo(MEGABYTE)).isInstanceOf(Refusal.class);

        greedy.forEach(ArrivedBodies.Share::close);
        greedy.forEach(ArrivedBodies.Share::close);
        assertThat(arrived.free()).isEqualTo(6 * MEGABYTE);
    }

    @Test
    void oneBodyThatHasArrivedIsNotAll() {
        ArrivedBodies arrived = new ArrivedBodies(64L * MEGABYTE, MEGABYTE);
        arrived.share("greedy").growTo(64 * MEGABYTE);

        arrived.share("modest").growTo(64 * MEGABYTE);

        assertThatThrownBy(() -> arrived.share("third").growTo(MEGABYTE)).isInstanceOf(Refusal.class);
    }
}
