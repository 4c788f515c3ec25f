package dev.muster.document.internal;

import dev.muster.event.Event.Changed;
import dev.muster.event.Event.Content;
import dev.muster.event.Event.Count;
import dev.muster.event.Event.Hello;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.LiveCounts;
import dev.muster.event.Event.MoreEnded;
import dev.muster.event.Event.Reset;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.Event.Things;
import dev.muster.event.Event.WatchedJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.workflow.RunStatus;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Live events.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class EventDocument {
    private EventDocument() {}

    public static Map<String, @Nullable Object> write(Content content) {
        JsonObjectWriter members = new JsonObjectWriter();
        if (content instanceof Hello hello) {
            members.put("node", hello.node()).put("at", hello.at());
        } else if (content instanceof JobEnded job) {
            members.put("id", job.id().toString())
                    .put("name", job.name())
                    .put("queue", job.queue())
                    .put("status", job.status().text())
                    .put("attempt", job.attempt())
                    .put("node", job.node())
                    .put("finished_at", job.finishedAt());
        } else if (content instanceof MoreEnded more) {
            members.put("ended", more.ended()).put("failed", more.failed());
        } else if (content instanceof LiveCounts counts) {
            members.put("waiting", write(counts.waiting()))
                    .put("pending", write(counts.pending()))
                    .put("claimed", write(counts.claimed()))
                    .put("running", write(counts.running()));
        } else if (content instanceof WatchedJob job) {
            members.put("id", job.id().toString())
                    .put("status", job.status().text())
                    .put("attempt", job.attempt())
                    .put("node", job.node())
                    .put("progress", job.progress())
                    .put("log_lines", job.logLines());
        } else if (content instanceof RunChanged run) {
            members.put("id", run.id().toString())
                    .put("workflow_name", run.workflow())
                    .put("status", run.status().text())
                    .put("changed_at", run.changedAt());
        } else if (content instanceof Reset reset) {
            members.put("reason", reset.reason());
        }
        return members.done();
    }

    private static Map<String, @Nullable Object> write(Count count) {
        return new JsonObjectWriter()
                .put("count", count.count())
                .put("exact", count.exact())
                .done();
    }

    /**
     * The event of this type; empty if this version knows no such type.
     *
     * @param type as in {@link Content#type}
     */
    public static Optional<Content> read(String type, JsonObjectReader fields) {
        return switch (type) {
            case "hello" -> Optional.of(new Hello(fields.text("node"), fields.instant("at")));
            case "job" ->
                Optional.of(new JobEnded(
                        JobId.of(fields.text("id")),
                        fields.text("name"),
                        fields.text("queue"),
                        JobStatus.stored(fields.text("status")),
                        fields.integer("attempt"),
                        fields.optionalText("node"),
                        fields.instant("finished_at")));
            case "jobs" -> Optional.of(new MoreEnded(fields.longNumber("ended"), fields.longNumber("failed")));
            case "counts" ->
                Optional.of(new LiveCounts(
                        count(fields.object("waiting")),
                        count(fields.object("pending")),
                        count(fields.object("claimed")),
                        count(fields.object("running"))));
            case "watched" ->
                Optional.of(new WatchedJob(
                        JobId.of(fields.text("id")),
                        JobStatus.stored(fields.text("status")),
                        fields.integer("attempt"),
                        fields.optionalText("node"),
                        fields.optionalInteger("progress"),
                        fields.integer("log_lines")));
            case "run" ->
                Optional.of(new RunChanged(
                        JobId.of(fields.text("id")),
                        fields.text("workflow_name"),
                        RunStatus.stored(fields.text("status")),
                        fields.instant("changed_at")));
            case "reset" -> Optional.of(new Reset(fields.text("reason")));
            default ->
                Arrays.stream(Things.values())
                        .filter(things -> things.text().equals(type))
                        .findFirst()
                        .map(Changed::new);
        };
    }

    private static Count count(JsonObjectReader fields) {
        return new Count(fields.longNumber("count"), fields.flag("exact"));
    }
}
