package dev.muster.internal.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.daemon.DaemonStore.Survey;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MovesTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** Clocks of this kind begin anywhere, and may pass their largest value. */
    private static final long BEGIN = Long.MAX_VALUE - 5 * SECOND;

    private final Moves moves = new Moves(Duration.ofSeconds(10), BEGIN);

    private void survey(int peers, boolean free, long now, String... running) {
        moves.surveyed(new Survey(free, Optional.empty(), null, peers), Set.of(running), now);
    }

    @Test
    void oneDaemonMovesAtATime() {
        assertThat(moves.mayMove(BEGIN)).isTrue();

        moves.moved("a", BEGIN);

        assertThat(moves.mayMove(BEGIN + 9 * SECOND)).isFalse();
        assertThat(moves.untilNext(BEGIN + 9 * SECOND)).isEqualTo(SECOND);
        assertThat(moves.mayMove(BEGIN + 10 * SECOND)).isTrue();
        assertThat(moves.untilNext(BEGIN + 11 * SECOND)).isZero();
    }

    @Test
    void aDaemonThatComesStraightBackStopsFurtherMovesUntilNodesComeOrGo() {
        survey(2, false, BEGIN);
        moves.moved("a", BEGIN);
        moves.claimed("a", BEGIN + SECOND);

        survey(2, false, BEGIN + 60 * SECOND, "a");
        assertThat(moves.mayMove(BEGIN + 60 * SECOND)).isFalse();

        survey(3, false, BEGIN + 61 * SECOND, "a");
        assertThat(moves.mayMove(BEGIN + 70 * SECOND)).isFalse();
        assertThat(moves.mayMove(BEGIN + 71 * SECOND)).isTrue();
    }

    @Test
    void aDaemonThatComesBackAfterAnotherNodeHadItChangesNothing() {
        survey(2, false, BEGIN);
        moves.moved("a", BEGIN);
        survey(2, false, BEGIN + SECOND);

        moves.claimed("a", BEGIN + 2 * SECOND);

        assertThat(moves.mayMove(BEGIN + 10 * SECOND)).isTrue();
    }
}
