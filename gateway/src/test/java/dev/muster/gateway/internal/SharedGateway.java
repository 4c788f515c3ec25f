package dev.muster.gateway.internal;

import dev.muster.testkit.Cluster;
import dev.muster.testkit.TestDatabase;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One node with a gateway for all tests of a class, which do not disturb each other. Each of them uses names of its own. */
final class SharedGateway implements BeforeAllCallback, AfterAllCallback {
    private final Map<String, String> settings;
    private final Object[] handlers;
    private @Nullable TestDatabase database;
    private @Nullable Cluster cluster;
    private @Nullable GatewayNode gateway;

    private SharedGateway(Map<String, String> settings, Object[] handlers) {
        this.settings = settings;
        this.handlers = handlers;
    }

    static SharedGateway with(Object... handlers) {
        return new SharedGateway(Map.of(), handlers);
    }

    Cluster cluster() {
        return started(cluster);
    }

    GatewayNode gateway() {
        return started(gateway);
    }

    private static <T> T started(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("the field with the shared gateway needs @RegisterExtension");
        }
        return part;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        TestDatabase fresh = TestDatabase.fromEnv();
        database = fresh;
        Cluster nodes = Cluster.on(fresh);
        cluster = nodes;
        gateway = GatewayNode.start(nodes, settings, handlers);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        try {
            if (cluster != null) {
                cluster.close();
            }
        } finally {
            if (database != null) {
                database.close();
            }
        }
    }
}
