package dev.muster;

import dev.muster.job.JobHandler;
import dev.muster.job.JobRegistry;
import dev.muster.job.LineLimit;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Type;

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
            LineLimit line = handler.line();
            Type type = handler.argsType();
            if (line != null && type != null && !line.concurrencyKey().isEmpty()) {
                check(handler.name(), line.concurrencyKey(), type, json);
            }
        }
    }

    private static void check(String job, String key, Type type, JsonCodec json) {
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
                        "job '" + job + "': its concurrencyKey '" + key + "' is no field of " + type.getTypeName() + ": "
                                + e.getMessage(),
                        e);
            }
        }
    }
}
