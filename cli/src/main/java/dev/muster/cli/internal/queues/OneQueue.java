package dev.muster.cli.internal.queues;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.QueueDocument;
import dev.muster.document.internal.QueueLimitDocument;
import dev.muster.internal.config.Nearest;
import dev.muster.internal.runtime.Names;
import dev.muster.job.KnownNames;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.job.Queues;
import dev.muster.runtime.MusterException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The queue that a command pauses, resumes or limits. */
final class OneQueue {
    @Parameters(paramLabel = "NAME", description = "The queue's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    /** Pauses or resumes the queue, and prints the result. */
    void steer(boolean pause) {
        change(
                pause ? "queues.pause" : "queues.resume",
                Map.of(),
                queues -> {
                    if (pause) {
                        queues.pause(name);
                    } else {
                        queues.resume(name);
                    }
                },
                () -> new JsonObjectWriter()
                        .put("name", name)
                        .put("paused", pause)
                        .done(),
                pause ? "paused" : "resumed");
    }

    /** Sets or removes the limit of the queue, and prints the result. */
    void limit(QueueLimit limit) {
        change(
                "queues.limit",
                QueueLimitDocument.write(limit),
                queues -> queues.limit(name, limit),
                () -> limited(limit),
                limit.isNone() ? "removed the limit of" : "limited");
    }

    private Map<String, @Nullable Object> limited(QueueLimit limit) {
        Map<String, @Nullable Object> document =
                new JsonObjectWriter().put("name", name).done();
        document.putAll(QueueLimitDocument.write(limit));
        return document;
    }

    private void change(
            String action,
            Map<String, ?> details,
            Consumer<Queues> change,
            Supplier<Map<String, @Nullable Object>> done,
            String verb) {
        Names.require("queue", name);
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            session.audited(action, name, details, () -> {
                change.accept(session.queues());
                return true;
            });
            print(session, done, verb);
        }
    }

    /** If the queue cannot be read now, the command still succeeds: the queue has been changed. */
    private void print(Session session, Supplier<Map<String, @Nullable Object>> done, String verb) {
        QueueInfo queue;
        try {
            queue = find(session.queues());
        } catch (MusterException e) {
            output.print(done::get, () -> verb + " queue " + name);
            output.say("muster: the queue's jobs could not be counted: " + e.getMessage());
            return;
        }
        output.print(() -> QueueDocument.write(queue), () -> QueueText.table(List.of(queue)));
        if (isEmpty(queue)) {
            output.hint(() -> unused(session.admin().knownNames()));
        }
    }

    private List<String> unused(KnownNames known) {
        return known.usedQueues().contains(name)
                ? List.of()
                : List.of("no job and no handler of queue '" + name + "' is known, which is no error: queues are not"
                        + " registered" + Nearest.suggestion(name, known.usedQueues()));
    }

    private static boolean isEmpty(QueueInfo queue) {
        return queue.waiting() + queue.pending() + queue.claimed() + queue.running() == 0;
    }

    /** An empty queue that is not paused has no row, but it is a valid queue. */
    private QueueInfo find(Queues queues) {
        return queues.list().stream()
                .filter(queue -> queue.name().equals(name))
                .findFirst()
                .orElseGet(() -> QueueInfo.empty(name));
    }
}
