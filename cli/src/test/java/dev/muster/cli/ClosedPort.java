package dev.muster.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A port of this machine that refuses connections, because whoever has it does not listen. Nobody else gets it meanwhile. */
public final class ClosedPort implements AutoCloseable {
    private final Socket owner = new Socket();

    public ClosedPort() {
        try {
            owner.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int number() {
        return owner.getLocalPort();
    }

    /** Of a database that is not there. */
    public String databaseUrl() {
        return "jdbc:postgresql://127.0.0.1:" + number() + "/app?user=postgres";
    }

    @Override
    public void close() {
        try {
            owner.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
