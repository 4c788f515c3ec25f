package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PromptSocketFactoryTest {
    private ServerSocket server;
    private Socket socket;
    private Socket peer;
    private InputStream in;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket = new PromptSocketFactory().createSocket();
        socket.connect(server.getLocalSocketAddress());
        peer = server.accept();
        in = socket.getInputStream();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        peer.close();
        server.close();
    }

    @Test
    void aCheckForMoreIsAnsweredWithoutReading() throws IOException {
        socket.setSoTimeout(1);
        assertThatThrownBy(() -> in.read(new byte[8], 0, 8))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessage("nothing has arrived");
        assertThatThrownBy(() -> in.read()).hasMessage("nothing has arrived");
    }

    @Test
    void aCheckForMoreReadsWhatHasArrived() throws IOException {
        peer.getOutputStream().write("ab".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        socket.setSoTimeout(0);
        assertThat(in.read()).isEqualTo('a');
        socket.setSoTimeout(1);
        byte[] bytes = new byte[8];
        assertThat(in.read(bytes, 0, 8)).isEqualTo(1);
        assertThat(bytes[0]).isEqualTo((byte) 'b');
    }

    @Test
    void otherReadsWait() throws Exception {
        socket.setSoTimeout(1);
        socket.setSoTimeout(50);
        assertThatThrownBy(() -> in.read())
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageNotContaining("nothing has arrived");
        peer.close();
        socket.setSoTimeout(0);
        assertThat(in.read()).as("the end").isEqualTo(-1);
    }

    @Test
    void connectedSocketsAreRefused() {
        assertThatThrownBy(() -> new PromptSocketFactory().createSocket("localhost", 1))
                .hasMessageContaining("not connected yet");
    }
}
