package dev.muster.document.internal;

import dev.muster.internal.runtime.Known;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of the cancellation of one job or of many.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class CancellationDocument {
    private CancellationDocument() {}

    public static Map<String, @Nullable Object> write(Cancellation cancellation) {
        return new JsonObjectWriter().put("cancellation", text(cancellation)).done();
    }

    public static Cancellation read(JsonObjectReader fields) {
        return Known.read(
                Cancellation.values(), CancellationDocument::text, fields.text("cancellation"), Cancellation.UNKNOWN);
    }

    private static String text(Cancellation cancellation) {
        return cancellation.name().toLowerCase(Locale.ROOT);
    }

    public static Map<String, @Nullable Object> write(BulkCancellation cancellation) {
        return new JsonObjectWriter()
                .put("cancelled", cancellation.cancelled())
                .put("requested", cancellation.requested())
                .done();
    }

    public static BulkCancellation readBulk(JsonObjectReader fields) {
        return new BulkCancellation(fields.integer("cancelled"), fields.integer("requested"));
    }
}
