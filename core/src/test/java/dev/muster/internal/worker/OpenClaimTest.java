package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OpenClaimTest {
    private final OpenClaim claim = Claims.ordinary(1);

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void aStopThatComesAfterTheHandlerHasEndedWasNotNoticed() {
        claim.start(0);
        claim.stop(StopReason.DRAINED, 0);

        assertThat(claim.consumedStop(false)).as("its interrupt is still there").isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aStopWhoseInterruptIsGoneWasNoticed() {
        claim.start(0);
        claim.stop(StopReason.DRAINED, 0);
        Thread.interrupted();

        assertThat(claim.consumedStop(true))
                .as("cleared after the handler had ended")
                .isFalse();
        assertThat(claim.consumedStop(false)).isTrue();
    }

    @Test
    void aHandlerThatWasNotStoppedNoticedNothing() {
        claim.start(0);

        assertThat(claim.consumedStop(false)).isFalse();
    }
}
