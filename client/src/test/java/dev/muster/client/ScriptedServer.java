package dev.muster.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP server that answers as a test has said, one connection after the other. */
final class ScriptedServer implements AutoCloseable {
    private static final String HANG_UP = "";

    private final ServerSocket socket;
    private final Queue<String> answers = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile String greeting = "";

    ScriptedServer() throws IOException {
        socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::serve, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    /** An address at which nobody listens; nobody else gets its port while it is open. */
    record Nobody(Socket bound) implements AutoCloseable {
        static Nobody open() throws IOException {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return new Nobody(socket);
        }

        String address() {
            return "http://127.0.0.1:" + bound.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            bound.close();
        }
    }

    String address() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    /** The methods and paths of the requests that came. */
    List<String> requests() {
        return requests;
    }

    ScriptedServer answer(int status, String body, String... headers) {
        StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " X\r\nConnection: close\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        answers.add(text + "\r\n" + body);
        return this;
    }

    /** Reads a request and closes the connection. */
    ScriptedServer hangUp() {
        answers.add(HANG_UP);
        return this;
    }

    /** From now on says this to whoever connects, and reads no request. */
    ScriptedServer greet(String bytes) {
        greeting = bytes;
        return this;
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (Socket connection = socket.accept()) {
                handle(connection);
            } catch (IOException e) {
                // The client went away, or the test is over.
            }
        }
    }

    private void handle(Socket connection) throws IOException {
        if (!greeting.isEmpty()) {
            connection.getOutputStream().write(greeting.getBytes(StandardCharsets.ISO_8859_1));
            connection.shutdownOutput();
            // Until the client closes: closing before it would take the greeting back.
            connection.getInputStream().transferTo(OutputStream.nullOutputStream());
            return;
        }
        BufferedReader in =
                new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
        String first = in.readLine();
        if (first == null) {
            return;
        }
        int length = 0;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        in.skip(length);
        requests.add(first.replace(" HTTP/1.1", ""));
        String answer = answers.poll();
        if (answer != null && !answer.equals(HANG_UP)) {
            connection.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
            connection.getOutputStream().flush();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
