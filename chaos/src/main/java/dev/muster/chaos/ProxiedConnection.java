package dev.muster.chaos;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * One client's connection through the proxy. What the client says passes as bytes; what the server says
 * passes message by message (a letter, a length, a body), so that the answer to a commit can be told.
 */
final class ProxiedConnection {
    private static final char COMMAND_COMPLETE = 'C';
    private static final char READY_FOR_QUERY = 'Z';

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;

    ProxiedConnection(TcpProxy proxy, Socket client, Socket server) throws IOException {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
    }

    /** One direction. */
    @FunctionalInterface
    private interface Direction {
        void run() throws IOException, InterruptedException;
    }

    void start() {
        start(this::requests, "requests");
        start(this::replies, "replies");
    }

    private void start(Direction direction, String name) {
        Thread thread = new Thread(
                () -> {
                    try {
                        direction.run();
                        client.close();
                        server.close();
                    } catch (IOException e) {
                        reset();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        reset();
                    } finally {
                        proxy.ended(this);
                    }
                },
                "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void requests() throws IOException, InterruptedException {
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        byte[] bytes = new byte[16 * 1024];
        int count;
        while ((count = in.read(bytes)) >= 0) {
            proxy.awaitPassage();
            out.write(bytes, 0, count);
        }
    }

    private void replies() throws IOException, InterruptedException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(server.getInputStream()));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
        boolean inserted = false;
        int type;
        while ((type = in.read()) >= 0) {
            byte[] body = new byte[in.readInt() - Integer.BYTES];
            in.readFully(body);
            String tag = type == COMMAND_COMPLETE ? tag(body) : "";
            if ((tag.startsWith("INSERT") || tag.startsWith("COPY")) && !tag.endsWith(" 0")) {
                inserted = true;
            } else if (tag.equals("COMMIT") || tag.equals("ROLLBACK")) {
                if (inserted && tag.equals("COMMIT") && proxy.takesAcknowledgement()) {
                    reset();
                    return;
                }
                inserted = false;
            } else if (type == READY_FOR_QUERY && body[0] == 'I') {
                // Idle again without a COMMIT: the statement was a transaction of its own, and is committed now.
                if (inserted && proxy.takesAcknowledgement()) {
                    reset();
                    return;
                }
                inserted = false;
            }
            proxy.awaitPassage();
            out.writeByte(type);
            out.writeInt(body.length + Integer.BYTES);
            out.write(body);
            if (in.available() == 0) {
                out.flush();
            }
        }
    }

    private static String tag(byte[] body) {
        return new String(body, 0, body.length - 1, StandardCharsets.US_ASCII);
    }

    /** Ends it with a reset, so that neither side takes it for an orderly goodbye. */
    void reset() {
        for (Socket socket : new Socket[] {client, server}) {
            try {
                socket.setSoLinger(true, 0);
            } catch (IOException e) {
                // Closed already.
                continue;
            } finally {
                closeQuietly(socket);
            }
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nothing left to close.
            return;
        }
    }
}
