package dev.muster.gateway.internal;

import dev.muster.Gateway;
import dev.muster.config.MusterConfig;
import dev.muster.internal.provider.CallPort;
import dev.muster.internal.provider.GatewayProvider;

/** Creates the HTTP servers of a node; found with {@link java.util.ServiceLoader}. */
public final class HttpGatewayProvider implements GatewayProvider {
    @Override
    public Gateway create(MusterConfig config) {
        return new HttpGateway(config, true);
    }

    @Override
    public CallPort createCallPort(MusterConfig config) {
        return new CallServer(config);
    }
}
