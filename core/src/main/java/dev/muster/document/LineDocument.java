package dev.muster.document;

import dev.muster.job.JobCount;
import dev.muster.job.JobRate;
import dev.muster.overview.LineUsage;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines and how many jobs stand in them.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class LineDocument {
    private LineDocument() {}

    public static Map<String, @Nullable Object> write(LineUsage.Page page) {
        return new Members()
                .put("lines", Members.list(page.lines(), LineDocument::write))
                .put("next", page.next())
                .done();
    }

    public static Map<String, @Nullable Object> write(LineUsage line) {
        return new Members()
                .put("line", line.line())
                .put("kind", line.kind())
                .put("name", line.job())
                .put("key", line.key())
                .put("max", line.max())
                .put("rate", line.rate().map(JobRate::jobs))
                .put("rate_ms", line.rate().map(JobRate::interval).map(Duration::toMillis))
                .put("burst", line.rate().map(JobRate::burst))
                .put("running", line.running().count())
                .put("running_exact", line.running().exact())
                .put("waiting", line.waiting().count())
                .put("waiting_exact", line.waiting().exact())
                .put("oldest", line.oldest())
                .done();
    }

    public static LineUsage.Page read(Fields fields) {
        return new LineUsage.Page(
                fields.list("lines").stream().map(LineDocument::readLine).toList(), fields.optionalText("next"));
    }

    public static LineUsage readLine(Fields fields) {
        return new LineUsage(
                fields.text("line"),
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
