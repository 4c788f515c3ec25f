package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.runtime.LargeReads.TooMany;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LargeReadsTest {
    private static final long MEGABYTE = 1 << 20;

    private final LargeReads reads = new LargeReads(1);

    @AfterEach
    void end() {
        LargeReads.end();
    }

    /** Another request, which reads much and ends. */
    private CompletableFuture<Void> other() {
        CompletableFuture<Void> request = CompletableFuture.runAsync(() -> {
            reads.begin();
            try {
                LargeReads.count(2 * MEGABYTE);
            } finally {
                LargeReads.end();
            }
        });
        await().until(request::isDone);
        return request;
    }

    @Test
    void thereIsRoomForSoManyLargeReads() {
        reads.begin();
        LargeReads.count(MEGABYTE);
        assertThat(other()).as("this one is not large").isCompleted();

        LargeReads.count(1);
        assertThatThrownBy(() -> other().join()).hasCauseInstanceOf(TooMany.class);
        LargeReads.count(16 * MEGABYTE);
        LargeReads.end();

        assertThat(other()).isCompleted();
    }

    @Test
    void whatIsRefusedTakesNoPlace() {
        LargeReads none = new LargeReads(0);
        none.begin();
        assertThatThrownBy(() -> LargeReads.count(2 * MEGABYTE)).isInstanceOf(TooMany.class);
        LargeReads.end();
        none.begin();

        assertThatThrownBy(() -> LargeReads.count(2 * MEGABYTE)).isInstanceOf(TooMany.class);
    }

    @Test
    void whoeverServesNoRequestIsNotCounted() {
        assertThatCode(() -> LargeReads.count(Long.MAX_VALUE)).doesNotThrowAnyException();
    }
}
