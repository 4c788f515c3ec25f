package dev.muster.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sends one request again and again over connections that stay open, one at a time on each. It uses plain sockets: an HTTP client costs
 * about as much as the server that is measured, and both share the processors.
 */
final class HttpLoad {
    private static final int ANSWER_MILLIS = 10_000;

    private final int port;
    private final int connections;
    private final byte[] request;
    private final String expected;

    /** @param expected what each answer must contain */
    HttpLoad(int port, int connections, String path, String key, String body, String expected) {
        this.port = port;
        this.connections = connections;
        this.expected = expected;
        this.request = ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nAuthorization: Bearer " + key
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** How many requests were answered per second. */
    double perSecond(Duration window) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            long begin = System.nanoTime();
            List<Future<Long>> counts = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                counts.add(threads.submit(() -> callUntil(begin + window.toNanos())));
            }
            long answered = 0;
            for (Future<Long> count : counts) {
                answered += count.get();
            }
            return answered * 1e9 / (System.nanoTime() - begin);
        } finally {
            threads.shutdownNow();
        }
    }

    private long callUntil(long end) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MILLIS);
            OutputStream out = socket.getOutputStream();
            InputStream in = new BufferedInputStream(socket.getInputStream());
            long answered = 0;
            do {
                out.write(request);
                readAnswer(in);
                answered++;
            } while (System.nanoTime() - end < 0);
            return answered;
        }
    }

    private void readAnswer(InputStream in) throws IOException {
        String status = line(in);
        int length = -1;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        String body = new String(in.readNBytes(Math.max(0, length)), StandardCharsets.UTF_8);
        if (!status.contains(" 200 ") || !body.contains(expected)) {
            throw new IOException("unexpected answer: " + status + " " + body);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }
}
