package dev.muster.spring.boot;

import dev.muster.Muster;
import dev.muster.spring.internal.MusterLifecycle;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The health of the application's node: what it says of itself, without a query. */
final class MusterHealthIndicator implements HealthIndicator {
    private final Muster muster;
    private final ObjectProvider<MusterLifecycle> lifecycle;

    MusterHealthIndicator(Muster muster, ObjectProvider<MusterLifecycle> lifecycle) {
        this.muster = muster;
        this.lifecycle = lifecycle;
    }

    @Override
    public Health health() {
        MusterLifecycle ofNode = lifecycle.getIfAvailable();
        dev.muster.runtime.Health health = ofNode == null ? muster.health() : ofNode.health();
        Health.Builder builder = health.ok() ? Health.up() : Health.down();
        builder.withDetail("node", muster.nodeId());
        if (!health.detail().isEmpty()) {
            builder.withDetail("detail", health.detail());
        }
        return builder.build();
    }
}
