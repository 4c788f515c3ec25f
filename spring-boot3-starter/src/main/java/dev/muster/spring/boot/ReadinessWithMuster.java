package dev.muster.spring.boot;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.health.AdditionalHealthEndpointPath;
import org.springframework.boot.actuate.health.HealthEndpointGroup;
import org.springframework.boot.actuate.health.HealthEndpointGroups;
import org.springframework.boot.actuate.health.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.actuate.health.HttpCodeStatusMapper;
import org.springframework.boot.actuate.health.StatusAggregator;
import org.springframework.core.Ordered;

/**
 * Makes the node's health part of the readiness group, if there is one: a load balancer then sends nothing to an application whose node has
 * lost the cluster.
 */
final class ReadinessWithMuster implements HealthEndpointGroupsPostProcessor, Ordered {
    static final String INDICATOR = "muster";
    private static final String READINESS = "readiness";

    /** After the one that adds the readiness group. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
        HealthEndpointGroup readiness = groups.get(READINESS);
        return readiness == null ? groups : new Groups(groups, new MemberGroup(readiness));
    }

    private record Groups(HealthEndpointGroups groups, HealthEndpointGroup readiness) implements HealthEndpointGroups {
        @Override
        public HealthEndpointGroup getPrimary() {
            return groups.getPrimary();
        }

        @Override
        public Set<String> getNames() {
            return groups.getNames();
        }

        @Override
        public HealthEndpointGroup get(String name) {
            return name.equals(READINESS) ? readiness : groups.get(name);
        }
    }

    private record MemberGroup(HealthEndpointGroup group) implements HealthEndpointGroup {
        @Override
        public boolean isMember(String name) {
            return name.equals(INDICATOR) || group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext securityContext) {
            return group.showComponents(securityContext);
        }

        @Override
        public boolean showDetails(SecurityContext securityContext) {
            return group.showDetails(securityContext);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
