package dev.muster.internal.process;

import dev.muster.internal.runtime.Jsonb;
import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.job.Fence;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.runtime.MusterException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The JSON objects that a node and its own child JVMs exchange. */
final class JobMessage {
    private final Map<String, @Nullable Object> members;

    private JobMessage(Map<String, @Nullable Object> members) {
        this.members = members;
    }

    JobMessage() {
        this(new LinkedHashMap<>());
    }

    static JobMessage parse(String text) {
        return of(Jsonb.read(text));
    }

    private static JobMessage of(@Nullable Object value) {
        if (!(value instanceof Map<?, ?> object)) {
            throw new MusterException("a message between a node and its child process is not a JSON object");
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        object.forEach((name, member) -> members.put(String.valueOf(name), member));
        return new JobMessage(members);
    }

    /** The first line of this stream, of which no further byte is read. */
    static JobMessage readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("the node has ended");
            }
            line.write(b);
        }
        return parse(line.toString(StandardCharsets.UTF_8));
    }

    JobMessage with(String name, @Nullable String value) {
        members.put(name, value);
        return this;
    }

    JobMessage with(String name, long value) {
        members.put(name, new Digits(Long.toString(value)));
        return this;
    }

    JobMessage with(String name, boolean value) {
        members.put(name, value);
        return this;
    }

    JobMessage with(String name, Map<String, String> value) {
        members.put(name, value);
        return this;
    }

    JobMessage with(String name, List<JobMessage> value) {
        members.put(name, value.stream().map(message -> message.members).toList());
        return this;
    }

    JobMessage withJob(JobContext job) {
        return with("id", job.id().toString())
                .with("name", job.name())
                .with("queue", job.queue())
                .with("attempt", job.attempt())
                .with("max_attempts", job.maxAttempts())
                .with("crashes", job.crashes())
                .with("metadata", job.metadata())
                .with("trace", job.trace().orElse(null))
                .with("node", job.nodeId())
                .with("timeline", job.fence().timeline())
                .with("token", job.fence().token());
    }

    boolean has(String name) {
        return members.get(name) != null;
    }

    @Nullable
    String textOrNull(String name) {
        return members.get(name) instanceof String text ? text : null;
    }

    String text(String name) {
        if (members.get(name) instanceof String text) {
            return text;
        }
        throw new MusterException("a message between a node and its child process lacks " + name);
    }

    long number(String name) {
        if (members.get(name) instanceof Digits digits) {
            return Long.parseLong(digits.text());
        }
        throw new MusterException("a message between a node and its child process lacks " + name);
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(members.get(name));
    }

    Map<String, String> texts(String name) {
        Map<String, String> found = new LinkedHashMap<>();
        if (members.get(name) instanceof Map<?, ?> texts) {
            texts.forEach((key, value) -> found.put(String.valueOf(key), String.valueOf(value)));
        }
        return found;
    }

    List<JobMessage> list(String name) {
        return members.get(name) instanceof List<?> list
                ? list.stream().map(JobMessage::of).toList()
                : List.of();
    }

    JobId id() {
        return JobId.of(UUID.fromString(text("id")));
    }

    Fence fence() {
        return new Fence(number("timeline"), number("token"));
    }

    @Override
    public String toString() {
        return Jsonb.write(members);
    }
}
