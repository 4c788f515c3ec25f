package dev.muster.internal.health;

import dev.muster.internal.health.HttpListener.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer.
 *
 * <pre>
 *   READING ──▶ ASKED ──▶ ANSWERED ──▶ (closed by the client, or at its deadline)
 *      └── not understood ───▲
 * </pre>
 */
final class HttpConnection {
    private static final int MAX_HEAD = 8_192;
    private static final Answer BAD_REQUEST = new Answer(400, "{\"error\":\"not understood\"}");
    private static final Answer ONLY_GET = new Answer(405, "{\"error\":\"only GET\"}");

    enum State {
        READING,
        ASKED,
        ANSWERED
    }

    private final SocketChannel channel;
    private final SelectionKey key;
    private final long deadline;
    private final ByteBuffer head = ByteBuffer.allocate(MAX_HEAD);
    private State state = State.READING;
    private boolean withBody = true;
    private String path = "";
    private volatile @Nullable Answer answer;
    private @Nullable ByteBuffer out;

    HttpConnection(SocketChannel channel, SelectionKey key, long deadline) {
        this.channel = channel;
        this.key = key;
        this.deadline = deadline;
    }

    State state() {
        return state;
    }

    /** The requested path; known from {@link State#ASKED} on. */
    String path() {
        return path;
    }

    /** When the connection is closed, whatever its state. */
    long deadline() {
        return deadline;
    }

    /** Sets the answer, which the next {@link #goOn} sends. May be called on any thread. */
    void answer(Answer given) {
        answer = given;
    }

    /** Reads or writes as much as it can without blocking. */
    void goOn() throws IOException {
        switch (state) {
            case READING -> read();
            case ASKED -> send();
            case ANSWERED -> finish();
        }
    }

    private void read() throws IOException {
        int count = channel.read(head);
        String text = new String(head.array(), 0, head.position(), StandardCharsets.ISO_8859_1);
        if (text.contains("\r\n\r\n") || text.contains("\n\n")) {
            parse(text.lines().findFirst().orElse(""));
        } else if (count < 0) {
            close();
        } else if (!head.hasRemaining()) {
            reply(BAD_REQUEST);
        }
    }

    private void parse(String line) throws IOException {
        String[] words = line.split(" ");
        if (words.length != 3 || !words[2].startsWith("HTTP/")) {
            reply(BAD_REQUEST);
        } else if (!words[0].equals("GET") && !words[0].equals("HEAD")) {
            reply(ONLY_GET);
        } else {
            withBody = words[0].equals("GET");
            path = words[1].split("[?#]", 2)[0];
            state = State.ASKED;
            key.interestOps(0);
        }
    }

    private void reply(Answer given) throws IOException {
        answer = given;
        state = State.ASKED;
        send();
    }

    private void send() throws IOException {
        Answer given = answer;
        if (given == null) {
            return;
        }
        if (out == null) {
            out = ByteBuffer.wrap(response(given));
        }
        channel.write(out);
        if (out.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
        } else {
            state = State.ANSWERED;
            channel.shutdownOutput();
            key.interestOps(SelectionKey.OP_READ);
            finish();
        }
    }

    private byte[] response(Answer given) {
        byte[] body = given.json().getBytes(StandardCharsets.UTF_8);
        String start = "HTTP/1.1 " + given.status() + " " + reason(given.status())
                + "\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: "
                + body.length + "\r\n\r\n";
        byte[] first = start.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer all = ByteBuffer.allocate(first.length + (withBody ? body.length : 0));
        all.put(first);
        if (withBody) {
            all.put(body);
        }
        return all.array();
    }

    private static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 400 -> "Bad Request";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 503 -> "Service Unavailable";
            default -> "Internal Server Error";
        };
    }

    /** Reads the rest of the request before it closes: otherwise the connection would be reset and the answer could be lost. */
    private void finish() throws IOException {
        int count;
        do {
            head.clear();
            count = channel.read(head);
        } while (count > 0);
        if (count < 0) {
            close();
        }
    }

    void close() {
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            // The channel is closed even if closing it reports an error.
            return;
        }
    }
}
