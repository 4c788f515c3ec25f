package dev.muster.chaos;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** A kept connection on which only the status of each answer counts; what else comes is read and forgotten. */
final class HttpBytes implements Closeable {
    private static final int PATIENCE_MS = 120_000;

    private final Socket socket;
    private final InputStream in;
    private boolean closing;
    private int status;

    private HttpBytes(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    static HttpBytes to(int port) throws IOException {
        return to(port, Duration.ofMillis(PATIENCE_MS));
    }

    /** @param patience how long it waits for a byte */
    static HttpBytes to(int port, Duration patience) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) patience.toMillis());
        return new HttpBytes(socket);
    }

    /**
     * @param key null for none
     * @param body null for none
     */
    static byte[] request(String method, String path, String key, String body) {
        byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
        String head = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                + (key == null ? "" : "Authorization: Bearer " + key + "\r\n")
                + (body == null ? "" : "Content-Type: application/json\r\nContent-Length: " + bytes.length + "\r\n")
                + "\r\n";
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(bytes);
        return request.toByteArray();
    }

    /**
     * Returns the status of the answer.
     *
     * @throws IOException if no whole answer came
     */
    int send(byte[] request) throws IOException {
        in.skipNBytes(head(request));
        return status;
    }

    /** Returns what the answer says. */
    String text(byte[] request) throws IOException {
        return new String(in.readNBytes((int) head(request)), StandardCharsets.UTF_8);
    }

    /** Returns the length of the answer. */
    private long head(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        String first = line();
        status = Integer.parseInt(first.split(" ")[1]);
        long length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            String header = line.toLowerCase(Locale.ROOT);
            if (header.startsWith("content-length:")) {
                length = Long.parseLong(header.substring(15).strip());
            }
            closing |= header.matches("connection: *close");
        }
        return length;
    }

    /** Whether the server has said that it closes the connection. */
    boolean isClosing() {
        return closing;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.US_ASCII).stripTrailing();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
