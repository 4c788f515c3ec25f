package dev.muster.spring;

import dev.muster.Muster;
import dev.muster.document.OverviewDocument;
import dev.muster.runtime.Health;
import java.util.LinkedHashMap;
import java.util.Map;

/** This node and its cluster at a glance, in the form in which the gateway and {@code -o json} write it. */
public final class ClusterReport {
    private ClusterReport() {}

    /** @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached */
    public static Map<String, Object> of(Muster muster) {
        Health health = muster.health();
        Map<String, Object> node = new LinkedHashMap<>();
        node.put("id", muster.nodeId());
        node.put("healthy", health.ok());
        node.put("detail", health.detail());
        node.put("ports", muster.ports());
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("version", Muster.version());
        report.put("node", node);
        report.put("cluster", OverviewDocument.write(muster.overview()));
        return report;
    }
}
