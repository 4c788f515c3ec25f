package dev.muster.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A connection to an HTTP server on this machine that is kept for one request after the other. It looks at nothing between two requests and
 * repeats none, so what it reports is what the server did.
 */
public final class KeptHttp implements Closeable {
    private static final int PATIENCE_MS = 120_000;

    private final Socket socket;
    private final InputStream in;

    private KeptHttp(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * What the server has sent.
     *
     * @param closes whether it has announced that it closes the connection
     */
    public record Answer(int status, String body, boolean closes) {}

    public static KeptHttp to(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MS);
        return new KeptHttp(socket);
    }

    /**
     * Sends a request with a JSON body.
     *
     * @throws IOException if no whole answer came back: the request was cut
     */
    public Answer post(String path, String key, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n";
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(body);
        try {
            socket.getOutputStream().write(request.toByteArray());
        } catch (IOException e) {
            // The server has closed the connection; it may have said why before.
            return read(e);
        }
        return read(null);
    }

    private Answer read(IOException sending) throws IOException {
        try {
            int status = Integer.parseInt(line().split(" ")[1]);
            int length = 0;
            boolean closes = false;
            for (String line = line(); !line.isEmpty(); line = line()) {
                String header = line.toLowerCase(Locale.ROOT);
                if (header.startsWith("content-length:")) {
                    length = Integer.parseInt(header.substring(15).strip());
                }
                closes |= header.matches("connection: *close");
            }
            byte[] body = in.readNBytes(length);
            if (body.length < length) {
                throw new EOFException("the answer has " + length + " bytes, and " + body.length + " arrived");
            }
            return new Answer(status, new String(body, StandardCharsets.UTF_8), closes);
        } catch (IOException e) {
            if (sending != null) {
                e.addSuppressed(sending);
            }
            throw e;
        }
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
