package dev.muster.gateway.internal.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.gateway.internal.forward.CallConnection.Received;
import dev.muster.runtime.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CallConnectionTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration SHORT = Duration.ofMillis(50);

    private ServerSocket server;
    private CallConnection connection;
    private Socket accepted;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        connection = CallConnection.open((InetSocketAddress) server.getLocalSocketAddress(), LONG, Clock.system());
        accepted = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        accepted.close();
        server.close();
    }

    private void answer(String text) throws IOException {
        accepted.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        accepted.getOutputStream().flush();
    }

    @Test
    void readsThePermissionAndThenTheAnswer() throws IOException {
        connection.send("head".getBytes(StandardCharsets.US_ASCII), LONG);
        assertThat(accepted.getInputStream().readNBytes(4))
                .asString(StandardCharsets.US_ASCII)
                .isEqualTo("head");

        answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-LENGTH: 3\r\nX-A:  b \r\n\r\nabc");

        Received first = connection.receive(LONG);
        Received second = connection.receive(LONG);
        assertThat(CallConnection.isPermission(first)).isTrue();
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.headers()).containsEntry("x-a", "b");
        assertThat(second.body()).asString(StandardCharsets.US_ASCII).isEqualTo("abc");
        assertThat(connection.isReusable()).isTrue();
        assertThat(connection.isQuiet()).isTrue();
    }

    @Test
    void readsAnAnswerThatIsLargerThanItsBuffer() throws IOException {
        String body = "0123456789".repeat(50_000);
        Thread writer = new Thread(() -> {
            try {
                answer("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();

        Received received = connection.receive(LONG);

        assertThat(new String(received.body(), StandardCharsets.US_ASCII)).isEqualTo(body);
        assertThat(connection.isReusable()).as("after Connection: close").isFalse();
    }

    @Test
    void doesNotWaitForeverForOneThatIsSilentOrTakesNothing() {
        assertThatThrownBy(() -> connection.receive(SHORT)).isInstanceOf(SocketTimeoutException.class);
        assertThat(connection.hasBegunToAnswer()).isFalse();
        assertThatThrownBy(() -> connection.send(new byte[100_000_000], SHORT))
                .isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void knowsWhetherAnAnswerHadBegunWhenTheConnectionBroke() throws IOException {
        answer("HTTP/1.1 200 OK\r\n");
        accepted.shutdownOutput();

        assertThatThrownBy(() -> connection.receive(LONG)).isInstanceOf(EOFException.class);
        assertThat(connection.hasBegunToAnswer()).isTrue();
    }

    @Test
    void anIdleConnectionThatWasClosedIsNoticed() throws IOException {
        assertThat(connection.isQuiet()).isTrue();
        accepted.close();
        await().until(() -> !connection.isQuiet());
    }

    @Test
    void whatIsNoAnswerIsRefused() throws IOException {
        answer("SSH-2.0-OpenSSH\r\n\r\n");
        assertThatThrownBy(() -> connection.receive(LONG)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void anAnswerWithoutItsLengthIsRefused() throws IOException {
        answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        assertThatThrownBy(() -> connection.receive(LONG)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void anAnswerThatWouldFillTheMemoryIsRefused() throws IOException {
        answer("HTTP/1.1 200 OK\r\nContent-Length: 900000000\r\n\r\n");
        assertThatThrownBy(() -> connection.receive(LONG))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("900000000 bytes");
    }

    @Test
    void aPortThatNobodyListensAtRefusesAtOnce() throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.getLocalSocketAddress();
        server.close();
        assertThatThrownBy(() -> CallConnection.open(address, LONG, Clock.system()))
                .isInstanceOf(ConnectException.class);
    }
}
