package dev.muster.client;

import dev.muster.daemon.DaemonInfo;
import dev.muster.daemon.Daemons;
import dev.muster.document.internal.DaemonDocument;
import java.util.List;

/** Daemons over HTTP. */
final class ClientDaemons implements Daemons {
    private static final String DAEMONS = "/_api/daemons";

    private final Gateway gateway;

    ClientDaemons(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    public List<DaemonInfo> list() {
        return gateway.get(DAEMONS).list("daemons").stream()
                .map(DaemonDocument::read)
                .toList();
    }

    @Override
    public boolean reset(String name) {
        return gateway.changes("POST", Gateway.path(DAEMONS, name, "reset"), null, false);
    }
}
