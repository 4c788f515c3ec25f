package dev.muster.document.internal;

import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of a request for a job.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class EnqueuedDocument {
    private EnqueuedDocument() {}

    public static Map<String, @Nullable Object> write(Enqueued enqueued) {
        return new JsonObjectWriter()
                .put("id", enqueued.id().toString())
                .put("created", enqueued.created())
                .done();
    }

    public static Enqueued read(JsonObjectReader fields) {
        return new Enqueued(fields.parsed("id", JobId::of), fields.flag("created"));
    }
}
