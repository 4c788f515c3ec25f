package dev.muster.gateway;

import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Serves HTTPS with a certificate from files. */
interface Tls extends AutoCloseable {

    ServerConnector connector(Server server, HttpConfiguration http);

    @Override
    void close();
}
