package dev.muster.dashboard;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** What tests of the dashboard share: a Chromium for all of a class, and tabs that are closed after each test. */
@MusterTest
abstract class InBrowser {
    private static Chromium chromium;

    private final List<Tab> tabs = new ArrayList<>();

    @BeforeAll
    static void startChromium() {
        boolean installed = Chromium.program().isPresent();
        if (!installed) {
            System.err.println("SKIPPED: the dashboard is not tested; Chromium is not installed here");
        }
        assumeTrue(installed, "chromium");
        chromium = Chromium.start();
    }

    @AfterAll
    static void stopChromium() {
        if (chromium != null) {
            chromium.close();
            chromium = null;
        }
    }

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
        return cluster.node(all, handlers);
    }

    static String address(Node gateway) {
        return "http://127.0.0.1:" + gateway.ports().get(0) + "/";
    }

    Tab open(Node gateway, Look look) {
        return open(address(gateway), look);
    }

    Tab open(String address, Look look) {
        Tab tab = chromium.open(address, look);
        tabs.add(tab);
        return tab;
    }
}
