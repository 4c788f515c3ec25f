package dev.muster.cli.internal.demo;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.internal.node.NodeContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The gateway with the dashboard on which people watch the demo. It runs in this process, neither claims nor leads, and is not killed. */
final class DemoGateway implements AutoCloseable {
    private final Muster muster;

    private DemoGateway(Muster muster) {
        this.muster = muster;
    }

    /** @param port null for the usual one, or any free one if that is taken */
    static DemoGateway start(MusterConfig cluster, @Nullable Integer port) {
        MusterConfig config =
                cluster.with(Map.of("node.id", "dashboard", "node.roles", "gateway", "gateway.auth", "none"));
        Muster muster = Muster.builder()
                .config(port == null ? config : config.with("gateway.port", port.toString()))
                .listen()
                .build();
        try {
            muster.start();
        } catch (RuntimeException e) {
            muster.close();
            throw e;
        }
        return new DemoGateway(muster);
    }

    /** Where the dashboard is. */
    String address() {
        return "http://" + muster.api(NodeContext.class).config().gateway().host() + ":"
                + muster.ports().get(0) + "/";
    }

    @Override
    public void close() {
        muster.close();
    }
}
