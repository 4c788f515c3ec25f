package dev.muster.internal.event;

import dev.muster.event.Event.JobEnded;
import dev.muster.event.Position;
import dev.muster.internal.event.EventStore.Ended;
import dev.muster.job.JobStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The stretch of history that was sent although transactions were open that may add to it, and what was sent of it. Bounded: from {@link
 * #MOST} jobs on only their number is remembered. Not thread-safe.
 */
final class UnsettledJobs {
    static final int MOST = 5_000;

    /** Whether each of them has failed. */
    private final Map<Position, Boolean> sent = new HashMap<>();

    private Position from;
    private Position to;
    private long ended;
    private long failed;

    /**
     * What has appeared late in the stretch.
     *
     * @param jobs those that can be told one by one
     * @param more how many there are besides
     */
    record Late(List<JobEnded> jobs, long more, long moreFailed) {
        boolean isEmpty() {
            return jobs.isEmpty() && more <= 0;
        }
    }

    /** @param from where the stretch begins */
    UnsettledJobs(Position from) {
        this.from = from;
        this.to = from;
    }

    Position from() {
        return from;
    }

    Position to() {
        return to;
    }

    /** These were sent, up to this position. */
    void add(Ended jobs, Position upTo) {
        jobs.jobs().forEach(this::addOne);
        ended += jobs.more();
        failed += jobs.moreFailed();
        to = Position.later(to, upTo);
    }

    private void addOne(JobEnded job) {
        boolean hasFailed = job.status() == JobStatus.FAILED;
        ended++;
        failed += hasFailed ? 1 : 0;
        if (sent.size() < MOST) {
            sent.put(at(job), hasFailed);
        }
    }

    /** Compares what was sent with what there is now in the whole stretch, and counts the difference as sent. */
    Late late(Ended now) {
        long nowEnded = now.jobs().size() + now.more();
        long nowFailed = now.moreFailed()
                + now.jobs().stream()
                        .filter(job -> job.status() == JobStatus.FAILED)
                        .count();
        Late late;
        if (now.more() == 0 && sent.size() == ended) {
            late = new Late(
                    now.jobs().stream()
                            .filter(job -> !sent.containsKey(at(job)))
                            .toList(),
                    0,
                    0);
            late.jobs().forEach(this::addOne);
        } else {
            late = new Late(List.of(), Math.max(0, nowEnded - ended), Math.max(0, nowFailed - failed));
            ended += late.more();
            failed += late.moreFailed();
        }
        return late;
    }

    /** Forgets what lies before this position, and all of it if only its number is known: what appears there is not looked for any more. */
    void forgetBefore(Position position) {
        if (!from.isBefore(position)) {
            return;
        }
        if (sent.size() == ended) {
            from = position;
            sent.keySet().removeIf(one -> one.isBefore(position));
        } else {
            from = to;
            sent.clear();
        }
        ended = sent.size();
        failed = sent.values().stream().filter(one -> one).count();
    }

    static Position at(JobEnded job) {
        return Position.of(job.finishedAt(), job.id().value());
    }
}
