package dev.muster.dashboard;

import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** What tests of the dashboard share: one Chromium for all of them, and tabs that are closed after each test. */
@MusterTest(settings = "worker.lease=60s")
@ExtendWith(OneChromium.class)
abstract class InBrowser {
    private final List<Tab> tabs = new ArrayList<>();

    @AfterEach
    void closeTabs() {
        tabs.forEach(Tab::close);
        tabs.clear();
    }

    /** Starts a node with a gateway to which everybody on this machine may say everything. */
    static Node openGateway(Cluster cluster, Object... handlers) {
        return gateway(cluster, Map.of("gateway.auth", "none"), handlers);
    }

    static Node gateway(Cluster cluster, Map<String, String> settings, Object... handlers) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("gateway.port", "0");
        // A node of a busy machine must not lose its jobs.
        all.put("worker.lease", "1m");
        return cluster.node(all, handlers);
    }

    static String address(Node gateway) {
        return "http://127.0.0.1:" + gateway.ports().get(0) + "/";
    }

    Tab open(Node gateway, Look look) {
        return open(address(gateway), look);
    }

    Tab open(String address, Look look) {
        Tab tab = OneChromium.get().open(address, look);
        tabs.add(tab);
        return tab;
    }
}
