package dev.muster.gateway.internal.forward;

import dev.muster.cluster.NodeInfo;
import dev.muster.internal.function.FunctionNodeStore;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that publish functions, as this node knows them. They are read again by a call that finds them old, or after news of nodes;
 * while nobody calls, nothing is asked. Other calls continue with what was read before. While the database does not answer, they all do.
 */
final class FunctionNodes {
    private static final Logger log = LoggerFactory.getLogger(FunctionNodes.class);
    private static final long KEPT = Duration.ofSeconds(3).toNanos();

    private final FunctionNodeStore store;
    private final Clock clock;
    private final ReentrantLock reading = new ReentrantLock();
    private final AtomicLong news = new AtomicLong();
    private volatile @Nullable Read last;

    /**
     * @param at when they were asked for, by the node's clock
     * @param news how many news there had been
     */
    private record Read(List<NodeInfo> nodes, long at, long news) {}

    FunctionNodes(FunctionNodeStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** A node has joined, left or changed its status, or may have. */
    void changed() {
        news.incrementAndGet();
    }

    /** @throws DatabaseUnavailable if they were never read, and the database does not answer */
    List<NodeInfo> now() {
        Read known = last;
        if (known == null) {
            reading.lock();
        } else if (!isOld(known) || !reading.tryLock()) {
            return known.nodes();
        }
        try {
            Read meanwhile = last;
            return meanwhile == null || isOld(meanwhile) ? read(meanwhile) : meanwhile.nodes();
        } finally {
            reading.unlock();
        }
    }

    private boolean isOld(Read read) {
        return read.news() != news.get() || clock.nanos() - read.at() >= KEPT;
    }

    private List<NodeInfo> read(@Nullable Read old) {
        long heard = news.get();
        long at = clock.nanos();
        try {
            List<NodeInfo> nodes = store.list();
            last = new Read(nodes, at, heard);
            return nodes;
        } catch (DatabaseUnavailable e) {
            if (old == null) {
                throw e;
            }
            log.debug("the nodes were not read again", e);
            last = new Read(old.nodes(), clock.nanos(), heard);
            return old.nodes();
        }
    }
}
