package dev.muster.document.internal;

import dev.muster.cluster.NodeStatus;
import dev.muster.overview.Finding;
import dev.muster.overview.Finding.Severity;
import dev.muster.overview.Overview;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cluster at a glance.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class OverviewDocument {
    /** How the addresses of the dashboard's pages begin. */
    private static final String PAGE = "#/";

    private OverviewDocument() {}

    public static Map<String, @Nullable Object> write(Overview overview) {
        JsonObjectWriter nodes = new JsonObjectWriter();
        overview.nodes().forEach((status, count) -> nodes.put(status.text(), count));
        return new JsonObjectWriter()
                .put("at", overview.at())
                .put("counts", JobCountsDocument.counts(overview.counts()))
                .put("minutes", JsonObjectWriter.list(overview.minutes(), MinutesDocument::write))
                .put("nodes", nodes.done())
                .put("leaders", JsonObjectWriter.list(overview.leaders(), LeaderDocument::write))
                .put("attention", JsonObjectWriter.list(overview.attention(), OverviewDocument::write))
                .done();
    }

    public static Map<String, @Nullable Object> write(Finding finding) {
        return new JsonObjectWriter()
                .put("kind", finding.kind())
                .put("severity", finding.severity().text())
                .put("message", finding.message())
                .put("link", PAGE + finding.page())
                .done();
    }

    public static Overview read(JsonObjectReader fields) {
        Map<NodeStatus, Long> nodes = new EnumMap<>(NodeStatus.class);
        JsonObjectReader written = fields.object("nodes");
        for (NodeStatus status : NodeStatus.values()) {
            written.optionalLong(status.text()).ifPresent(count -> nodes.put(status, count));
        }
        return new Overview(
                fields.instant("at"),
                JobCountsDocument.readCounts(fields.object("counts")),
                fields.list("minutes").stream().map(MinutesDocument::readMinute).toList(),
                nodes,
                fields.list("leaders").stream().map(LeaderDocument::read).toList(),
                fields.list("attention").stream()
                        .map(OverviewDocument::readFinding)
                        .toList());
    }

    private static Finding readFinding(JsonObjectReader fields) {
        String link = fields.text("link");
        return new Finding(
                fields.text("kind"),
                fields.parsed("severity", Severity::stored),
                fields.text("message"),
                link.startsWith(PAGE) ? link.substring(PAGE.length()) : link);
    }
}
