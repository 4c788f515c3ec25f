package dev.muster.gateway.internal.forward;

import dev.muster.runtime.Clock;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * A connection to a node, for one call after the other. It speaks as much HTTP/1.1 as that needs, and knows at each moment what it has
 * sent, which the JDK's client does not tell. Every wait has a limit, also that for the other side to take what is sent. Used by one thread
 * at a time.
 */
final class CallConnection implements Closeable {
    private static final int MAX_HEAD = 32_768;

    /** Whoever answers is known only when the whole answer has arrived: what it may send until then is bounded. */
    private static final int MAX_BODY = 64 << 20;

    private static final int CONTINUE = 100;
    private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final Clock clock;

    /** What has arrived and was not read, between position and limit. */
    private ByteBuffer arrived = ByteBuffer.allocate(8_192).limit(0);

    /**
     * An answer.
     *
     * @param headers by name, in any case
     */
    record Received(int status, Map<String, String> headers, byte[] body) {
        private boolean closes() {
            return "close".equalsIgnoreCase(headers.getOrDefault("Connection", ""));
        }
    }

    private boolean reusable;
    private boolean begunToAnswer;

    private CallConnection(SocketChannel channel, Selector selector, SelectionKey key, Clock clock) {
        this.channel = channel;
        this.selector = selector;
        this.key = key;
        this.clock = clock;
    }

    /** @throws SocketTimeoutException if the address does not answer in time */
    static CallConnection open(InetSocketAddress address, Duration limit, Clock clock) throws IOException {
        if (address.isUnresolved()) {
            throw new UnknownHostException(address.getHostString());
        }
        long deadline = clock.nanos() + limit.toNanos();
        SocketChannel channel = SocketChannel.open();
        Selector selector = null;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            selector = Selector.open();
            SelectionKey key = channel.register(selector, 0);
            CallConnection connection = new CallConnection(channel, selector, key, clock);
            boolean connected = channel.connect(address);
            while (!connected) {
                connection.await(SelectionKey.OP_CONNECT, deadline);
                connected = channel.finishConnect();
            }
            return connection;
        } catch (IOException | RuntimeException e) {
            if (selector != null) {
                selector.close();
            }
            channel.close();
            throw e;
        }
    }

    private void await(int what, long deadline) throws IOException {
        key.interestOps(what);
        long left = deadline - clock.nanos();
        if (left <= 0) {
            throw new SocketTimeoutException("no answer in time");
        }
        selector.select(Math.max(1, left / 1_000_000));
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Whether the other side has neither closed the connection nor sent anything that nobody asked for. */
    boolean isQuiet() {
        try {
            return !arrived.hasRemaining() && channel.read(ByteBuffer.allocate(1)) == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether another call can follow the last answer. */
    boolean isReusable() {
        return reusable;
    }

    void send(byte[] bytes, Duration limit) throws IOException {
        reusable = false;
        begunToAnswer = false;
        long deadline = clock.nanos() + limit.toNanos();
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            if (channel.write(rest) == 0) {
                await(SelectionKey.OP_WRITE, deadline);
            }
        }
    }

    /**
     * Reads the next answer, or the permission to send the body, which has the status 100 and no body.
     *
     * @throws EOFException if the connection was closed
     * @throws SocketTimeoutException if the answer has not arrived in time
     */
    Received receive(Duration limit) throws IOException {
        long deadline = clock.nanos() + limit.toNanos();
        String[] lines = head(deadline).split("\r\n");
        int status = status(lines[0]);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line : Arrays.asList(lines).subList(1, lines.length)) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new ProtocolException("a header without a colon");
            }
            headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        if (status == CONTINUE) {
            return new Received(status, headers, new byte[0]);
        }
        Received received = new Received(status, headers, body(length(headers), deadline));
        reusable = !received.closes() && !arrived.hasRemaining();
        return received;
    }

    /** Whether anything has arrived since something was sent. */
    boolean hasBegunToAnswer() {
        return begunToAnswer;
    }

    static boolean isPermission(Received received) {
        return received.status() == CONTINUE;
    }

    private static int status(String line) throws ProtocolException {
        if (!line.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
            throw new ProtocolException("not HTTP/1.1");
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    private static int length(Map<String, String> headers) throws ProtocolException {
        String length = headers.get("Content-Length");
        if (length == null || !length.matches("[0-9]{1,9}")) {
            throw new ProtocolException("an answer without its length");
        }
        int bytes = Integer.parseInt(length);
        if (bytes > MAX_BODY) {
            throw new ProtocolException("an answer of " + bytes + " bytes, which is more than " + MAX_BODY);
        }
        return bytes;
    }

    private String head(long deadline) throws IOException {
        int end = endOfHead();
        while (end < 0) {
            if (arrived.remaining() > MAX_HEAD) {
                throw new ProtocolException("too many headers");
            }
            fill(deadline);
            end = endOfHead();
        }
        byte[] head = new byte[end];
        arrived.get(head);
        arrived.position(arrived.position() + END_OF_HEAD.length);
        return new String(head, StandardCharsets.ISO_8859_1);
    }

    /** Where the headers end, counted from the first byte that was not read; −1 if they have not arrived. */
    private int endOfHead() {
        for (int i = arrived.position(); i + END_OF_HEAD.length <= arrived.limit(); i++) {
            if (Arrays.equals(arrived.array(), i, i + END_OF_HEAD.length, END_OF_HEAD, 0, END_OF_HEAD.length)) {
                return i - arrived.position();
            }
        }
        return -1;
    }

    private byte[] body(int length, long deadline) throws IOException {
        while (arrived.remaining() < length) {
            fill(deadline);
        }
        byte[] body = new byte[length];
        arrived.get(body);
        return body;
    }

    /** Waits until more has arrived. */
    private void fill(long deadline) throws IOException {
        ByteBuffer into = roomBehind();
        int count = channel.read(into);
        while (count == 0) {
            await(SelectionKey.OP_READ, deadline);
            count = channel.read(into);
        }
        if (count < 0) {
            throw new EOFException("the connection was closed");
        }
        begunToAnswer = true;
        arrived.limit(arrived.limit() + count);
    }

    /** The room behind what has arrived; makes room if there is none. */
    private ByteBuffer roomBehind() {
        if (arrived.limit() == arrived.capacity()) {
            int needed = arrived.remaining();
            ByteBuffer larger = ByteBuffer.allocate(needed * 2 < arrived.capacity() ? arrived.capacity() : needed * 2);
            larger.put(arrived);
            arrived = larger.flip();
        }
        ByteBuffer room = arrived.duplicate();
        room.position(arrived.limit()).limit(arrived.capacity());
        return room;
    }

    @Override
    public void close() {
        try (selector;
                channel) {
            reusable = false;
        } catch (IOException e) {
            // There is nothing left to do with it.
            reusable = false;
        }
    }
}
