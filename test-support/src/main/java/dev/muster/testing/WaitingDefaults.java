package dev.muster.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How Awaitility waits in all tests: it looks at once, then after 5 ms, and less and less often, so that a test that waits long leaves
 * the processor to others: most looks are queries. It gives up after a minute, which only a failing test ever waits: a limit of its own
 * ({@code atMost}) is for what takes longer.
 */
public final class WaitingDefaults implements LauncherSessionListener {
    private static final Duration FIRST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(250);
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(WaitingDefaults::next, FIRST));
        Awaitility.setDefaultTimeout(LIMIT);
    }

    private static Duration next(Duration interval) {
        Duration longer = interval.multipliedBy(6).dividedBy(5);
        return longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
    }
}
