package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.muster.testing.Sizes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Every operation of the buffer looks as if it happened at one moment. Lincheck runs small random programs on several threads
 * and looks for an order of their steps that explains what they saw. {@link LocalBufferWaitingTest} tests the threads that wait.
 */
class LocalBufferTest {
    private static final List<OpenClaim> CLAIMS = Claims.threeOrdinaryAndThreeAlone();
    private static final int NONE = -1;

    /** The one of the other kind that comes in the same chunk. */
    private static int partner(int claim) {
        return (claim + 3) % 6;
    }

    /** The buffer as threads see it. */
    @Param(name = "claim", gen = IntGen.class, conf = "0:5")
    public static final class Shared {
        private final SuspectTurn suspects = new SuspectTurn();
        private final LocalBuffer buffer = new LocalBuffer(suspects);

        @Operation(params = "claim")
        public void add(int claim) {
            buffer.addAll(List.of(CLAIMS.get(claim), CLAIMS.get(partner(claim))));
        }

        @Operation
        public int poll() {
            OpenClaim claim = buffer.poll();
            return claim == null ? NONE : (int) claim.claimedAt();
        }

        @Operation(params = "claim")
        public void closed(int claim) {
            suspects.closed(CLAIMS.get(claim));
        }

        @Operation(params = "claim")
        public void remove(int claim) {
            buffer.remove(CLAIMS.get(claim));
        }

        @Operation(params = "claim")
        public List<Integer> removeClaimedBefore(int claim) {
            List<Integer> removed = new ArrayList<>();
            for (OpenClaim one : buffer.removeClaimedBefore(claim)) {
                removed.add((int) one.claimedAt());
            }
            return removed;
        }

        @Operation
        public int waiting() {
            return buffer.waiting();
        }

        @Operation
        public int waitingSuspects() {
            return buffer.waitingSuspects();
        }

        @Operation(runOnce = true)
        public void close() {
            buffer.close();
        }
    }

    /** What a buffer does, for one thread. */
    public static final class Model {
        private final Deque<Integer> ordinary = new ArrayDeque<>();
        private final Deque<Integer> alone = new ArrayDeque<>();
        private int aloneOut = NONE;
        private boolean closed;

        public void add(int claim) {
            ordinary.add(Math.min(claim, partner(claim)));
            alone.add(Math.max(claim, partner(claim)));
        }

        public int poll() {
            if (closed) {
                return NONE;
            }
            if (aloneOut == NONE && !alone.isEmpty()) {
                aloneOut = alone.remove();
                return aloneOut;
            }
            return ordinary.isEmpty() ? NONE : ordinary.remove();
        }

        public void closed(int claim) {
            if (aloneOut == claim) {
                aloneOut = NONE;
            }
        }

        public void remove(int claim) {
            ordinary.removeIf(one -> one == claim);
            alone.removeIf(one -> one == claim);
        }

        public List<Integer> removeClaimedBefore(int claim) {
            List<Integer> removed = new ArrayList<>(ordinary);
            removed.addAll(alone);
            removed.removeIf(one -> one >= claim);
            removed.forEach(this::remove);
            return removed;
        }

        public int waiting() {
            return ordinary.size();
        }

        public int waitingSuspects() {
            return alone.size();
        }

        public void close() {
            closed = true;
        }
    }

    @Test
    void everyOperationIsOneStepUnderStress() {
        new StressOptions()
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2)
                .iterations(Sizes.of(3, 10))
                .invocationsPerIteration(Sizes.of(60, 300))
                .sequentialSpecification(Model.class)
                .check(Shared.class);
    }

    @Test
    void everyOperationIsOneStepInEveryOrder() {
        new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(1)
                .iterations(Sizes.of(2, 5))
                .invocationsPerIteration(Sizes.of(20, 50))
                .addGuarantee(forClasses(OpenClaim.class.getName()).allMethods().ignore())
                .sequentialSpecification(Model.class)
                .check(Shared.class);
    }

    /** Its claim was lost after the pump had put it in the table, and is closed. Nobody would end its turn. */
    @Test
    void aSuspectThatIsClosedBeforeItComesDoesNotKeepOthersFromTheirTurn() {
        SuspectTurn suspects = new SuspectTurn();
        LocalBuffer buffer = new LocalBuffer(suspects);
        OpenClaim lost = Claims.alone(1);
        OpenClaim next = Claims.alone(2);
        lost.lose();
        buffer.remove(lost);
        suspects.closed(lost);

        buffer.addAll(List.of(lost, next));

        assertThat(buffer.poll()).isSameAs(next);
    }
}
