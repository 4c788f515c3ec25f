package dev.muster.chaos;

import dev.muster.testing.LongTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * {@code kill -9} at each point of a run: many runs stand still in one process, each at a point of its own, when it is killed; another
 * process continues with all of them.
 */
class KilledRunIT extends OrdealRuns {

    @Test
    void atEveryPointEachStepHasOneResultAndEachEffectHappensOnce() {
        NodeProcess victim = node("a", ROOM);
        startAll();
        awaitAllAtTheirPoints(victim);

        victim.kill9();
        startHere("b", ROOM);
        losesToOthers("a");

        assertAllEndedRight();
    }

    /** With the settings that a user gets, and no more runs at once than these have threads and connections for. */
    @LongTest(
            twin = KilledRunIT.class,
            test = "atEveryPointEachStepHasOneResultAndEachEffectHappensOnce",
            why = "the leases and thresholds that a user gets, in real time")
    @Test
    void withDefaultSettingsTheSameHolds() {
        NodeProcess victim = launchWithDefaults("a", Map.of("app", APP)).awaitReady();
        List.of("claimed", "reserve not committed", "after reserve", "charge not stored", "after charge", "parks")
                .forEach(point -> start(true, point));
        List.of("after event", "ship not committed", "ends").forEach(point -> start(true, point));
        List.of("refund not stored", "in release", "release not committed", "ends")
                .forEach(point -> start(false, point));
        awaitAllAtTheirPoints(victim);

        victim.kill9();
        launchWithDefaults("b", Map.of("app", APP)).awaitReady();

        assertAllEndedRight();
    }
}
