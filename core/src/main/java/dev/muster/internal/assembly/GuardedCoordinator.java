package dev.muster.internal.assembly;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A coordinator that the application has given. A wake-up is only a hint: the work is committed before it is sent, and nodes find it
 * when they poll. So whatever the coordinator throws is logged, once a minute, and goes no further. Otherwise a caller whose job is
 * stored would see an exception and enqueue it again, and a pump would leave out what follows a wake-up.
 */
final class GuardedCoordinator implements ClusterCoordinator {
    private static final Logger log = LoggerFactory.getLogger(GuardedCoordinator.class);
    private static final long BETWEEN_WARNINGS = TimeUnit.MINUTES.toNanos(1);

    private final ClusterCoordinator given;
    private final Clock clock;
    private final AtomicLong warnAt;
    private final AtomicLong notLogged = new AtomicLong();

    /** Whether a listener could not be registered, so that this node must not rely on wake-ups. */
    private volatile boolean deaf;

    GuardedCoordinator(ClusterCoordinator given, Clock clock) {
        this.given = given;
        this.clock = clock;
        this.warnAt = new AtomicLong(clock.nanos());
    }

    @Override
    public void notifyNewWork(Set<Lane> lanes) {
        guarded(() -> given.notifyNewWork(lanes));
    }

    @Override
    public void notifyNewWork(Connection connection, Set<Lane> lanes) throws SQLException {
        try {
            given.notifyNewWork(connection, lanes);
        } catch (Throwable e) {
            if (SqlErrors.causedBySql(e)) {
                // The caller's transaction may be broken, and nothing is committed yet.
                throw e;
            }
            warn(e);
        }
    }

    @Override
    public void notifyNewWorkLater(Lane lane, Duration delay) {
        guarded(() -> given.notifyNewWorkLater(lane, delay));
    }

    @Override
    public void registerWakeupListener(Runnable listener) {
        deaf |= !guarded(() -> given.registerWakeupListener(listener));
    }

    @Override
    public void registerWakeupListener(Consumer<Set<Lane>> listener) {
        deaf |= !guarded(() -> given.registerWakeupListener(listener));
    }

    @Override
    public void notifyChange(Topic topic) {
        guarded(() -> given.notifyChange(topic));
    }

    @Override
    public void registerChangeListener(Topic topic, Runnable listener) {
        deaf |= !guarded(() -> given.registerChangeListener(topic, listener));
    }

    @Override
    public boolean isListening() {
        boolean[] listening = new boolean[1];
        guarded(() -> listening[0] = given.isListening());
        return listening[0] && !deaf;
    }

    /** Returns whether the call succeeded. Errors are caught too: a library that is missing at run time is one. */
    private boolean guarded(Runnable call) {
        try {
            call.run();
            return true;
        } catch (Throwable e) {
            warn(e);
            return false;
        }
    }

    private void warn(Throwable e) {
        long now = clock.nanos();
        long due = warnAt.get();
        if (now - due < 0 || !warnAt.compareAndSet(due, now + BETWEEN_WARNINGS)) {
            notLogged.incrementAndGet();
            return;
        }
        try {
            log.warn(
                    "coordinator={} failed; work is found by polling; failures_not_logged_before={}",
                    given.getClass().getName(),
                    notLogged.getAndSet(0),
                    e);
        } catch (RuntimeException | Error alsoWrong) {
            // The exception's own message threw, or there is no memory left to write it.
        }
    }
}
