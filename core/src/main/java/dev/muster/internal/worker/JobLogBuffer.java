package dev.muster.internal.worker;

import dev.muster.internal.attempt.AttemptLog;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.NewLogLine;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.job.JobLog;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Buffers the log lines of handlers and writes them in chunks. Lines are limited per attempt and in total. */
final class JobLogBuffer {
    private static final Logger log = LoggerFactory.getLogger(JobLogBuffer.class);
    private static final int MAX_WAITING = 20_000;

    /** At most 8 MB of text, or twice that if it is not Latin. */
    private static final long MAX_CHARACTERS = 8 << 20;

    private static final long CHUNK_CHARACTERS = 1 << 20;
    private static final int CHUNK = 1_000;

    private final ClaimStore store;
    private final Clock clock;
    private final ConcurrentLinkedQueue<Line> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong characters = new AtomicLong();

    private record Line(ClaimedJob job, String level, String message, long at) {}

    JobLogBuffer(ClaimStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** The log of one attempt. */
    JobLog of(ClaimedJob job) {
        return new AttemptLog() {
            @Override
            protected void keep(String level, String line) {
                add(job, level, line);
            }
        };
    }

    private void add(ClaimedJob job, String level, String message) {
        if (count.get() >= MAX_WAITING || characters.get() >= MAX_CHARACTERS) {
            return;
        }
        count.incrementAndGet();
        characters.addAndGet(message.length());
        waiting.add(new Line(job, level, message, clock.nanos()));
    }

    /**
     * Writes the buffered lines. Lines that cannot be written now stay for the next call; lines that the database refuses are
     * dropped, so that the others can be written.
     */
    synchronized void flush() {
        while (!waiting.isEmpty()) {
            List<Line> chunk = nextChunk();
            try {
                store.appendLogs(lines(chunk));
            } catch (DatabaseUnavailable e) {
                throw e;
            } catch (MusterException e) {
                appendAgain(chunk, e);
            }
            for (Line line : chunk) {
                waiting.poll();
                characters.addAndGet(-line.message().length());
            }
            count.addAndGet(-chunk.size());
        }
    }

    private List<Line> nextChunk() {
        List<Line> chunk = new ArrayList<>();
        long length = 0;
        for (Line line : waiting) {
            if (chunk.size() == CHUNK || length >= CHUNK_CHARACTERS) {
                break;
            }
            chunk.add(line);
            length += line.message().length();
        }
        return chunk;
    }

    private List<NewLogLine> lines(List<Line> chunk) {
        long now = clock.nanos();
        return chunk.stream()
                .map(line -> new NewLogLine(
                        line.job().id(),
                        line.job().attempt(),
                        line.level(),
                        line.message(),
                        TimeUnit.NANOSECONDS.toMillis(now - line.at())))
                .toList();
    }

    /** Tries once more, because the partition of the day may have been missing. */
    private void appendAgain(List<Line> chunk, MusterException first) {
        try {
            store.prepareHistory();
            store.appendLogs(lines(chunk));
        } catch (DatabaseUnavailable e) {
            throw e;
        } catch (MusterException e) {
            log.warn("dropped {} log lines of jobs, which the database refuses: {}", chunk.size(), first.getMessage());
        }
    }
}
