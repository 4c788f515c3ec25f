package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Scope;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody without a key can do to a gateway: nothing that its callers notice. */
@MusterTest
class StrangersIT {
    private static final String HEAD = "GET /_api/health HTTP/1.1\r\nHost: x\r\nX-Slow: ";

    private static final String FILE = "GET /assets/style.css HTTP/1.1\r\nHost: x\r\n\r\n";

    private static final String LAST_FILE = "GET /assets/style.css HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    /** At the beginning of an answer. */
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3})");

    /** More than a gateway sends to one address at the same time. */
    private static final int READERS = HttpServer.MOST_FILES / 2 + 4;

    /** Together they are more than the buffers between the server and a client hold. */
    private static final int FILES_OF_EACH = 400;

    /** A query that takes until it is let go. */
    static final class Slow {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);

        @Query
        String slow() throws InterruptedException {
            entered.countDown();
            assertThat(release.await(5, TimeUnit.MINUTES)).isTrue();
            return "done";
        }
    }

    /** Connections of which it is known whether the server has ended them. */
    private static final class Held implements AutoCloseable {
        private final List<Socket> open = new ArrayList<>();
        private int ended;
        private String told = "";

        void open(int port, String from, int count, String text) throws IOException {
            for (int i = 0; i < count; i++) {
                Socket socket = RawHttp.connect(port, from);
                socket.setSoTimeout(1);
                open.add(socket);
                try {
                    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
                } catch (SocketException e) {
                    // It was ended already.
                }
            }
        }

        int ended() {
            open.removeIf(socket -> {
                boolean over = hasEnded(socket);
                ended += over ? 1 : 0;
                return over;
            });
            return ended;
        }

        private boolean hasEnded(Socket socket) {
            try {
                int next = socket.getInputStream().read();
                while (next >= 0) {
                    told += (char) next;
                    next = socket.getInputStream().read();
                }
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (IOException e) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** Sends a byte whenever nothing has come back for a moment; returns what came until the server closed. */
    private static String trickle(Socket socket, String text) throws IOException {
        StringBuilder heard = new StringBuilder();
        socket.setSoTimeout(100);
        for (int i = 0; i < text.length(); i++) {
            try {
                socket.getOutputStream().write(text.charAt(i));
                int next = socket.getInputStream().read();
                while (next >= 0) {
                    heard.append((char) next);
                    next = socket.getInputStream().read();
                }
                return heard.toString();
            } catch (SocketTimeoutException e) {
                // It waits for more.
            } catch (SocketException e) {
                // The server has closed it. What it said before may be there still.
                return heard + RawHttp.read(socket);
            }
        }
        throw new AssertionError("the server still waits, after it has heard " + text.length() + " bytes one by one");
    }

    /** Waits for a moment in which nothing comes. */
    private static boolean isQuiet(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() >= 0 && isQuiet(socket);
        } catch (SocketTimeoutException e) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {HEAD, "\r\n"})
    void whoSendsAHeadBitByBitIsCutOff(String beginning, Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.read_timeout", "1s"));
        try (Socket slow = RawHttp.connect(gateway.port(), "127.0.0.1")) {
            String told = trickle(slow, beginning.isBlank() ? beginning.repeat(150) : beginning + "a".repeat(300));

            assertThat(told).startsWith("HTTP/1.1 408 ").contains("\"code\":\"too_slow\"", "gateway.read_timeout");
        }
    }

    /** Each byte resets the idle timeout of the server, and none the time that a body has. */
    @Test
    void whoSendsABodyBitByBitIsCutOff(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.read_timeout", "1s"));
        String head = "POST /_api/jobs HTTP/1.1\r\nHost: x\r\nX-API-Key: " + gateway.key(Scope.WRITE)
                + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
        try (Socket slow = RawHttp.connect(gateway.port(), "127.0.0.1")) {
            slow.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));

            String told = trickle(slow, "{\"name\":\"" + "a".repeat(290));

            assertThat(told).startsWith("HTTP/1.1 408 ").contains("\"code\":\"too_slow\"", "the body did not arrive");
        }
    }

    @Test
    void aKeptConnectionHasTheWholeTimeForItsNextRequest(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.read_timeout", "1s"));
        try (Socket kept = RawHttp.connect(gateway.port(), "127.0.0.1")) {
            byte[] request = (HEAD + "no\r\n\r\n").getBytes(StandardCharsets.UTF_8);
            kept.setSoTimeout(100);
            for (int i = 0; i < 30; i++) {
                kept.getOutputStream().write(request);
                StringBuilder answer = new StringBuilder();
                while (!answer.toString().contains("\"status\":\"ok\"")) {
                    try {
                        int next = kept.getInputStream().read();
                        assertThat(next).as("after %s", answer).isNotNegative();
                        answer.append((char) next);
                    } catch (SocketTimeoutException e) {
                        // It comes.
                    }
                }
                assertThat(answer).startsWith("HTTP/1.1 200 ");
                assertThat(isQuiet(kept)).isTrue();
            }
        }
    }

    @Test
    void strangersWhoSayNothingMakeRoomForOthers(Cluster cluster) throws Exception {
        Slow functions = new Slow();
        GatewayNode gateway = GatewayNode.start(
                cluster, Map.of("gateway.max_connections", "10", "gateway.read_timeout", "5m"), functions);
        String key = gateway.key(Scope.READ);
        CompletableFuture<Response> busy = gateway.sendLater("POST", "/_api/rpc/slow", key, null);
        functions.entered.await();
        try (Held strangers = new Held()) {
            strangers.open(gateway.port(), "127.0.0.1", 30, HEAD);

            await("all but a few are ended").until(() -> strangers.ended() >= 21);
            Response other = gateway.get("/_api/me");
            assertThat(other.status()).as(other.body()).isEqualTo(200);
        } finally {
            functions.release.countDown();
        }
        assertThat(GatewayNode.ended(busy).status())
                .as("a request under way is not ended")
                .isEqualTo(200);
    }

    @Test
    void whoIsRefusedIsToldWhy(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(
                cluster, Map.of("gateway.max_connections_per_address", "1", "gateway.read_timeout", "5m"));
        try (Held held = new Held()) {
            held.open(gateway.port(), "127.0.0.2", 2, HEAD);

            await().until(() -> held.ended() == 1);
            assertThat(held.told)
                    .startsWith("HTTP/1.1 503 ")
                    .contains("Retry-After: 1", "\"code\":\"busy\"", "gateway.max_connections_per_address");
        }
    }

    @Test
    void anAddressTakesNoMoreThanItsShare(Cluster cluster) throws Exception {
        GatewayNode gateway = GatewayNode.start(
                cluster, Map.of("gateway.max_connections_per_address", "3", "gateway.read_timeout", "5m"));
        try (Held quiet = new Held();
                Held greedy = new Held()) {
            quiet.open(gateway.port(), "127.0.0.2", 3, HEAD);
            greedy.open(gateway.port(), "127.0.0.3", 10, HEAD);

            await().until(() -> greedy.ended() == 7);
            assertThat(quiet.ended()).isZero();
            assertThat(gateway.get("/_api/me").status()).isEqualTo(200);
        }
    }

    /** However many requests it has sent at once, and however slowly it reads. */
    @Test
    void whoIsNotKnownGetsOneAnswerOnAConnection(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String wrong = "GET /_api/jobs HTTP/1.1\r\nHost: x\r\nX-API-Key: wrong\r\n\r\n";

        assertThat(statuses(RawHttp.send(gateway.port(), wrong.repeat(3)).text()))
                .containsExactly("401");
    }

    @Test
    void slowReadersOfFilesTakeNoPlaceOfTheApiAndLoseTheirOwn(Cluster cluster) throws Exception {
        GatewayNode gateway =
                GatewayNode.start(cluster, Map.of("gateway.max_requests", "2", "gateway.read_timeout", "3s"));
        List<Socket> readers = new ArrayList<>();
        try {
            // A machine may be so busy that the first readers have lost their places before this looks: then others
            // come.
            await("all places of files that an address gets are taken").until(() -> {
                close(readers);
                openSlowReaders(gateway, readers);
                return statusOfFile(gateway) == 503;
            });
            await("another address gets a file, once those who have no place are refused")
                    .until(() -> RawHttp.send(gateway.port(), "127.0.0.2", LAST_FILE.getBytes(StandardCharsets.UTF_8))
                                    .status()
                            == 200);
            await("who gets no place gets one answer, however many requests it has sent")
                    .until(() -> {
                        String answers = RawHttp.send(gateway.port(), FILE.repeat(FILES_OF_EACH))
                                .text();
                        if (statuses(answers).isEmpty()
                                || statuses(answers).get(0).equals("200")) {
                            close(readers);
                            openSlowReaders(gateway, readers);
                            return false;
                        }
                        assertThat(statuses(answers)).containsExactly("503");
                        return true;
                    });

            await("the readers lose their places, although they keep reading").until(() -> {
                readers.forEach(StrangersIT::readALittle);
                assertThat(gateway.get("/_api/me").status()).isEqualTo(200);
                return statusOfFile(gateway) == 200;
            });
        } finally {
            close(readers);
        }
    }

    private static void openSlowReaders(GatewayNode gateway, List<Socket> readers) throws IOException {
        byte[] requests = FILE.repeat(FILES_OF_EACH).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < READERS; i++) {
            Socket reader = RawHttp.deaf(gateway.port());
            reader.setSoTimeout(1);
            readers.add(reader);
            try {
                reader.getOutputStream().write(requests);
            } catch (IOException e) {
                // It has lost its place already.
            }
        }
    }

    private static List<String> statuses(String answers) {
        return STATUS.matcher(answers).results().map(found -> found.group(1)).toList();
    }

    private static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    private static int statusOfFile(GatewayNode gateway) {
        return gateway.send("GET", "/assets/style.css", null, null).status();
    }

    private static void readALittle(Socket socket) {
        try {
            assertThat(socket.getInputStream().read(new byte[16])).isLessThanOrEqualTo(16);
        } catch (IOException e) {
            // Nothing has come, or it was ended.
        }
    }
}
