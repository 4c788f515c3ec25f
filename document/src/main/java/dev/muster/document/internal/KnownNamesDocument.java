package dev.muster.document.internal;

import dev.muster.job.KnownNames;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The names of jobs and queues that occur in the database.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class KnownNamesDocument {
    private KnownNamesDocument() {}

    public static Map<String, @Nullable Object> write(KnownNames names) {
        return new JsonObjectWriter()
                .put("jobs", sorted(names.jobs()))
                .put("queues", sorted(names.queues()))
                .put("used_queues", sorted(names.usedQueues()))
                .done();
    }

    private static List<String> sorted(Set<String> names) {
        return List.copyOf(new TreeSet<>(names));
    }

    public static KnownNames read(JsonObjectReader fields) {
        return new KnownNames(
                Set.copyOf(fields.texts("jobs")),
                Set.copyOf(fields.texts("queues")),
                Set.copyOf(fields.texts("used_queues")));
    }
}
