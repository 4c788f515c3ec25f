package dev.muster.gateway.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends bytes as they are, which no HTTP client would send, and reads the answer. */
final class RawHttp {
    private static final Pattern STATUS = Pattern.compile("^HTTP/1\\.1 (\\d{3})");
    private static final int PATIENCE_MS = 120_000;

    private RawHttp() {}

    /**
     * What came back until the server closed the connection, or until it waited for more.
     *
     * @param text empty if the server closed without an answer
     */
    record Raw(String text) {
        int status() {
            Matcher matcher = STATUS.matcher(text);
            return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
        }

        String body() {
            int end = text.indexOf("\r\n\r\n");
            return end < 0 ? "" : text.substring(end + 4);
        }
    }

    static Raw send(int port, String from, byte[] request) {
        try (Socket socket = connect(port, from)) {
            socket.setSoTimeout(PATIENCE_MS);
            try {
                socket.getOutputStream().write(request);
                socket.getOutputStream().flush();
                socket.shutdownOutput();
            } catch (SocketException e) {
                // The server may have answered and closed before it has read everything.
                return new Raw(read(socket));
            }
            return new Raw(read(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Raw send(int port, String request) {
        return send(port, "127.0.0.1", request.getBytes(StandardCharsets.UTF_8));
    }

    /** @param from the address from which the server sees the connection come, 127.x.y.z */
    static Socket connect(int port, String from) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port), PATIENCE_MS);
        return socket;
    }

    /** A connection whose client takes as little as possible. */
    static Socket deaf(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress("127.0.0.1", port), PATIENCE_MS);
        return socket;
    }

    static String read(Socket socket) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            for (int count = socket.getInputStream().read(buffer);
                    count >= 0;
                    count = socket.getInputStream().read(buffer)) {
                all.write(buffer, 0, count);
            }
        } catch (SocketTimeoutException e) {
            return all.toString(StandardCharsets.ISO_8859_1) + "\n(the connection stayed open)";
        } catch (SocketException e) {
            return all.toString(StandardCharsets.ISO_8859_1);
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }
}
