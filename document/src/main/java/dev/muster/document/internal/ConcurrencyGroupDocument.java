package dev.muster.document.internal;

import dev.muster.job.JobCount;
import dev.muster.job.JobRate;
import dev.muster.overview.ConcurrencyGroupUsage;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Concurrency groups and how many jobs belong to them.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class ConcurrencyGroupDocument {
    private ConcurrencyGroupDocument() {}

    public static Map<String, @Nullable Object> write(ConcurrencyGroupUsage.Page page) {
        return new JsonObjectWriter()
                .put("concurrency_groups", JsonObjectWriter.list(page.groups(), ConcurrencyGroupDocument::write))
                .put("next", page.next())
                .done();
    }

    public static Map<String, @Nullable Object> write(ConcurrencyGroupUsage group) {
        return new JsonObjectWriter()
                .put("group", group.group())
                .put("kind", group.kind())
                .put("name", group.job())
                .put("key", group.key())
                .put("max", group.max())
                .put("rate", group.rate().map(JobRate::jobs))
                .put("rate_ms", group.rate().map(JobRate::interval).map(Duration::toMillis))
                .put("burst", group.rate().map(JobRate::burst))
                .put("running", group.running().count())
                .put("running_exact", group.running().exact())
                .put("waiting", group.waiting().count())
                .put("waiting_exact", group.waiting().exact())
                .put("oldest", group.oldest())
                .done();
    }

    public static ConcurrencyGroupUsage.Page read(JsonObjectReader fields) {
        return new ConcurrencyGroupUsage.Page(
                fields.list("concurrency_groups").stream()
                        .map(ConcurrencyGroupDocument::readGroup)
                        .toList(),
                fields.optionalText("next"));
    }

    public static ConcurrencyGroupUsage readGroup(JsonObjectReader fields) {
        return new ConcurrencyGroupUsage(
                fields.text("group"),
                fields.text("kind"),
                fields.optionalText("name"),
                fields.optionalText("key"),
                fields.optionalInteger("max"),
                fields.optionalInteger("rate")
                        .map(jobs -> new JobRate(
                                jobs, Duration.ofMillis(fields.longNumber("rate_ms")), fields.integer("burst"))),
                new JobCount(fields.longNumber("running"), fields.flag("running_exact")),
                new JobCount(fields.longNumber("waiting"), fields.flag("waiting_exact")),
                fields.optionalInstant("oldest"));
    }
}
