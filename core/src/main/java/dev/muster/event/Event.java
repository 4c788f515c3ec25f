package dev.muster.event;

import dev.muster.internal.event.EventStore;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.workflow.RunStatus;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * Something that has happened.
 *
 * @param position where a client that has got this event continues
 */
public record Event(Position position, Content content) {

    /** What has happened. */
    public sealed interface Content {
        /** The name of this kind of event, such as {@code job}. */
        String type();
    }

    /** The first event of each client. */
    public record Hello(String node, Instant at) implements Content {
        @Override
        public String type() {
            return "hello";
        }
    }

    /** A job has ended. */
    public record JobEnded(
            JobId id,
            String name,
            String queue,
            JobStatus status,
            int attempt,
            Optional<String> node,
            Instant finishedAt)
            implements Content {
        @Override
        public String type() {
            return "job";
        }
    }

    /**
     * More jobs have ended than were sent one by one.
     *
     * @param failed how many of them have failed
     */
    public record MoreEnded(long ended, long failed) implements Content {
        @Override
        public String type() {
            return "jobs";
        }
    }

    /** The numbers of live jobs have changed. */
    public record LiveCounts(Count waiting, Count pending, Count claimed, Count running) implements Content {
        @Override
        public String type() {
            return "counts";
        }
    }

    /** @param exact whether there are no more; counting stops at a bound */
    public record Count(long count, boolean exact) {}

    /**
     * A job that the client watches has changed.
     *
     * @param progress in percent, if its handler has told any
     * @param logLines how many lines its log has, up to {@link EventStore#MOST_LOG_LINES}
     */
    public record WatchedJob(
            JobId id, JobStatus status, int attempt, Optional<String> node, Optional<Integer> progress, int logLines)
            implements Content {
        @Override
        public String type() {
            return "watched";
        }
    }

    /** A run of a workflow has changed. */
    public record RunChanged(JobId id, String workflow, RunStatus status, Instant changedAt) implements Content {
        @Override
        public String type() {
            return "run";
        }
    }

    /** Something about these has changed; who shows them reloads them. */
    public record Changed(Things what) implements Content {
        @Override
        public String type() {
            return what.text();
        }
    }

    /** The client does not get everything any more: it reloads what it shows, and reconnects. The last event of a client. */
    public record Reset(String reason) implements Content {
        @Override
        public String type() {
            return "reset";
        }
    }

    /** What {@link Changed} is about. */
    public enum Things {
        NODES(EventTopic.NODES),
        LEADERS(EventTopic.NODES),
        QUEUES(EventTopic.QUEUES),
        CRONS(EventTopic.CRONS);

        private final EventTopic topic;

        Things(EventTopic topic) {
            this.topic = topic;
        }

        public EventTopic topic() {
            return topic;
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
