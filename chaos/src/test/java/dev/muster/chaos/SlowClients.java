package dev.muster.chaos;

import dev.muster.testing.Periods;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that send and take a few bytes each second, and come back when they are cut off. */
final class SlowClients {
    private static final Duration TURN = Duration.ofSeconds(1);

    /** They come from some addresses, none of which has too many. */
    private static final int ADDRESSES = 5;

    private final int port;
    private final int count;
    private final byte[] beginning;
    private final byte[] more;
    private final int taken;

    /**
     * @param beginning what each of them sends at once
     * @param more what it sends each second
     * @param taken how many bytes of answers it takes each second
     */
    SlowClients(int port, int count, String beginning, String more, int taken) {
        this.port = port;
        this.count = count;
        this.beginning = beginning.getBytes(StandardCharsets.UTF_8);
        this.more = more.getBytes(StandardCharsets.UTF_8);
        this.taken = taken;
    }

    void run(AtomicBoolean over, Map<String, AtomicLong> answers) {
        List<SocketChannel> clients = new ArrayList<>();
        while (!over.get()) {
            long began = System.nanoTime();
            clients.removeIf(client -> hasEnded(client, answers));
            while (clients.size() < count && !over.get()) {
                try {
                    clients.add(open(clients.size()));
                    Attackers.count(answers, "begun");
                } catch (IOException e) {
                    Attackers.count(answers, "refused");
                    break;
                }
            }
            Periods.work(TURN.minusNanos(System.nanoTime() - began));
        }
        clients.forEach(SlowClients::close);
    }

    private SocketChannel open(int number) throws IOException {
        SocketChannel client = SocketChannel.open();
        try {
            client.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
            client.bind(new InetSocketAddress(InetAddress.getByName("127.0.0." + (10 + number % ADDRESSES)), 0));
            client.connect(new InetSocketAddress("127.0.0.1", port));
            client.configureBlocking(false);
            client.write(ByteBuffer.wrap(beginning));
            return client;
        } catch (IOException e) {
            client.close();
            throw e;
        }
    }

    private boolean hasEnded(SocketChannel client, Map<String, AtomicLong> answers) {
        try {
            client.write(ByteBuffer.wrap(more));
            ByteBuffer some = ByteBuffer.allocate(Math.max(1, taken));
            int read = client.read(some);
            if (read > 0 && taken == 0) {
                // It has been answered before it had asked.
                Attackers.count(answers, "answered");
                close(client);
                return true;
            }
            if (read >= 0) {
                return false;
            }
        } catch (IOException e) {
            // It was cut off.
        }
        Attackers.count(answers, "cut off");
        close(client);
        return true;
    }

    private static void close(SocketChannel client) {
        try {
            client.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
