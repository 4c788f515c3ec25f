package dev.muster.spring.boot;

import dev.muster.Muster;
import dev.muster.spring.internal.ClusterReport;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code muster}: this node and its cluster at a glance, and what needs attention. */
@Endpoint(id = "muster")
public final class MusterEndpoint {
    private final Muster muster;

    MusterEndpoint(Muster muster) {
        this.muster = muster;
    }

    @ReadOperation
    public Map<String, Object> cluster() {
        return ClusterReport.of(muster);
    }
}
