package dev.muster.internal.assembly;

import dev.muster.internal.job.JobRegistry;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobHandler;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Locale;

/**
 * Checks, when a Muster is built, that the field which a {@code concurrencyKey} names is one of the args' type. Without it all jobs of the name
 * would share one limit.
 */
final class ConcurrencyKeys {
    /** How the codec begins what it says of a property that a type does not have. */
    private static final String UNKNOWN = "unknown property";

    private ConcurrencyKeys() {}

    /** @throws MusterException if a handler's type has no such field */
    static void check(JobRegistry registry, JsonCodec json) {
        for (JobHandler handler : registry.all()) {
            ConcurrencyLimit limit = handler.concurrencyLimit();
            Type type = handler.argsType();
            if (limit != null && type != null && !limit.concurrencyKey().isEmpty()) {
                check(handler.name(), limit.concurrencyKey(), type, json);
            }
        }
    }

    private static void check(String job, String key, Type type, JsonCodec json) {
        checkRecord(job, key, type);
        StringBuilder args = new StringBuilder("null");
        String[] fields = key.split("\\.");
        for (int i = fields.length - 1; i >= 0; i--) {
            args.insert(0, "{" + json.write(fields[i]) + ": ").append('}');
        }
        try {
            json.check(args.toString(), type);
        } catch (JsonException e) {
            // That other fields are missing, or that this one must not be null, says nothing about its name.
            if (String.valueOf(e.getMessage()).startsWith(UNKNOWN)) {
                throw new MusterException(
                        "job '" + job + "': its concurrencyKey '" + key + "' is no field of " + type.getTypeName()
                                + ": " + e.getMessage(),
                        e);
            }
        }
    }

    /**
     * A codec that finds a component missing does not come to the names that it does not know, so records are looked at here. Annotations may
     * give a component another name, and the codec another spelling to all of them.
     */
    private static void checkRecord(String job, String key, Type args) {
        Type type = args;
        for (String field : key.split("\\.")) {
            if (!(type instanceof Class<?> record) || !record.isRecord() || record.getAnnotations().length > 0) {
                return;
            }
            Type found = null;
            for (RecordComponent component : record.getRecordComponents()) {
                if (component.getAnnotations().length > 0
                        || component.getAccessor().getAnnotations().length > 0) {
                    return;
                }
                if (plain(component.getName()).equals(plain(field))) {
                    found = component.getGenericType();
                }
            }
            if (found == null) {
                throw new MusterException("job '" + job + "': its concurrencyKey '" + key + "' is no field of "
                        + args.getTypeName() + ": there is no '" + field + "' in " + record.getSimpleName()
                        + ", which has "
                        + Arrays.stream(record.getRecordComponents())
                                .map(RecordComponent::getName)
                                .toList());
            }
            type = found;
        }
    }

    private static String plain(String name) {
        return name.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
    }
}
