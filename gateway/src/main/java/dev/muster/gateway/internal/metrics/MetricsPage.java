package dev.muster.gateway.internal.metrics;

import dev.muster.Gateway;
import dev.muster.Muster;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Route;
import dev.muster.internal.node.NodeContext;
import dev.muster.runtime.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes all metrics of a node. */
public final class MetricsPage {
    private static final Logger log = LoggerFactory.getLogger(MetricsPage.class);

    public static final List<Route> ROUTES =
            List.of(Route.get("/_api/metrics", "The metrics of this node, in the text format of Prometheus.")
                    .answers(Route.PLAIN_TEXT)
                    .to(call -> Answer.text(of(call.muster()).text(), Samples.CONTENT_TYPE)));

    private final Map<String, Consumer<Samples>> sources = new LinkedHashMap<>();

    /**
     * @param requests how many requests the gateway handles now
     * @param streams to how many callers it sends events now
     */
    MetricsPage(
            NodeMetrics node,
            HttpMetrics http,
            Gateway.Host host,
            IntSupplier requests,
            IntSupplier streams,
            Clock clock) {
        NodeGauges gauges = new NodeGauges(host, requests, streams);
        ClusterFigures cluster = new ClusterFigures(
                () -> host.muster().queues().list(), () -> host.muster().nodes(), ClusterFigures.PATIENCE, clock);
        sources.put("events", node::write);
        sources.put("gateway", http::write);
        sources.put("node", gauges::write);
        sources.put("jvm", NodeGauges::writeJvm);
        sources.put("cluster", cluster::write);
    }

    /** Makes the page of a node; its route finds it from then on. */
    public static void open(
            NodeMetrics node, HttpMetrics http, Gateway.Host host, IntSupplier requests, IntSupplier streams) {
        Muster muster = host.muster();
        MetricsPage page = new MetricsPage(
                node,
                http,
                host,
                requests,
                streams,
                muster.api(NodeContext.class).clock());
        muster.api(NodeContext.class).shared(MetricsPage.class, () -> page);
    }

    private static MetricsPage of(Muster muster) {
        return muster.api(NodeContext.class).shared(MetricsPage.class, () -> {
            throw new IllegalStateException("the gateway has not opened the page of its metrics");
        });
    }

    String text() {
        Samples samples = new Samples();
        sources.forEach((name, source) -> {
            try {
                source.accept(samples);
            } catch (RuntimeException | Error e) {
                log.warn("source={} failed; its metrics are left out", name, e);
            }
        });
        return samples.text();
    }
}
