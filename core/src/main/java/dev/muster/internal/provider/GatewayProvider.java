package dev.muster.internal.provider;

import dev.muster.Gateway;
import dev.muster.config.MusterConfig;

/**
 * Creates the HTTP servers of a node. Muster finds it with {@link java.util.ServiceLoader}; without one on the classpath, the port of a
 * node serves only health, and no other node can forward calls to it.
 */
public interface GatewayProvider {

    /** Creates a gateway that is not open yet. It must not use the database or the network. */
    Gateway create(MusterConfig config);

    /** Creates the port for calls that gateways forward; it is not open yet. It must not use the database or the network. */
    CallPort createCallPort(MusterConfig config);
}
