package dev.muster.internal.access;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes when keys were last used: at most once a minute for each key, on a thread of its own, so that no request waits for it. If it cannot
 * be written, nothing else happens.
 */
final class KeyUses {
    private static final Logger log = LoggerFactory.getLogger(KeyUses.class);
    private static final long PERIOD = Duration.ofMinutes(1).toNanos();

    private final ApiKeyStore store;
    private final Clock clock;
    private final Executor writer;
    private final Map<String, Long> noted = new HashMap<>();
    private final Set<String> unwritten = new HashSet<>();
    private long removeOldAt;

    /** @param writer runs one task at a time */
    KeyUses(ApiKeyStore store, Clock clock, Executor writer) {
        this.store = store;
        this.clock = clock;
        this.writer = writer;
        this.removeOldAt = clock.nanos();
    }

    /** A thread that ends when nothing has been written for ten seconds, so that nobody has to stop it. */
    static Executor thread() {
        return new ThreadPoolExecutor(0, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "muster-key-uses");
            thread.setDaemon(true);
            return thread;
        });
    }

    void used(String id) {
        if (isDue(id)) {
            writer.execute(this::write);
        }
    }

    /** Whether somebody has to write it, and nobody is about to. */
    private synchronized boolean isDue(String id) {
        long now = clock.nanos();
        Long last = noted.get(id);
        if (last != null && now - last < PERIOD) {
            return false;
        }
        removeOld(now);
        noted.put(id, now);
        unwritten.add(id);
        return unwritten.size() == 1;
    }

    private void removeOld(long now) {
        if (now - removeOldAt >= 0) {
            noted.values().removeIf(at -> now - at >= PERIOD);
            removeOldAt = now + PERIOD;
        }
    }

    private void write() {
        List<String> ids = take();
        try {
            store.noteUse(ids);
        } catch (RuntimeException e) {
            log.debug("the last use of {} keys was not written", ids.size(), e);
        }
    }

    private synchronized List<String> take() {
        List<String> ids = new ArrayList<>(unwritten);
        unwritten.clear();
        return ids;
    }
}
