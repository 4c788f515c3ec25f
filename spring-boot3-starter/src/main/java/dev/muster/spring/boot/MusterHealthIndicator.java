package dev.muster.spring.boot;

import dev.muster.Muster;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** The health of the application's node: what it says of itself, without a query. */
final class MusterHealthIndicator implements HealthIndicator {
    private final Muster muster;

    MusterHealthIndicator(Muster muster) {
        this.muster = muster;
    }

    @Override
    public Health health() {
        dev.muster.runtime.Health health = muster.health();
        Health.Builder builder = health.ok() ? Health.up() : Health.down();
        builder.withDetail("node", muster.nodeId());
        if (!health.detail().isEmpty()) {
            builder.withDetail("detail", health.detail());
        }
        return builder.build();
    }
}
