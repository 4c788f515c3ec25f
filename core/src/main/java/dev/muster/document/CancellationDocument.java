package dev.muster.document;

import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.runtime.Known;
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
        return new Members().put("cancellation", text(cancellation)).done();
    }

    public static Cancellation read(Fields fields) {
        return Known.read(
                Cancellation.values(), CancellationDocument::text, fields.text("cancellation"), Cancellation.UNKNOWN);
    }

    private static String text(Cancellation cancellation) {
        return cancellation.name().toLowerCase(Locale.ROOT);
    }

    public static Map<String, @Nullable Object> write(BulkCancellation cancellation) {
        return new Members()
                .put("cancelled", cancellation.cancelled())
                .put("requested", cancellation.requested())
                .done();
    }

    public static BulkCancellation readBulk(Fields fields) {
        return new BulkCancellation(fields.integer("cancelled"), fields.integer("requested"));
    }
}
