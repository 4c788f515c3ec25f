package dev.muster.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.Event;
import dev.muster.event.Event.Changed;
import dev.muster.event.Event.Things;
import dev.muster.event.Position;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class EventReaderTest {
    private static final String ID = Position.before(Instant.EPOCH).toString();
    private static final String EVENT = "id: " + ID + "\nevent: nodes\ndata: {}\n\n";

    /** Has a text, and then nothing comes, and no end either, until it is closed: the machine of the gateway has no power any more. */
    private static final class Dead extends InputStream {
        private final InputStream text;
        private final CountDownLatch closed = new CountDownLatch(1);

        Dead(String text) {
            this.text = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public int read() throws IOException {
            int next = text.read();
            if (next >= 0) {
                return next;
            }
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IOException("closed");
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count = text.read(into, offset, length);
            return count > 0 ? count : read();
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test
    void aConnectionThatIsSilentIsGivenUp() {
        Queue<InputStream> connections = new ArrayDeque<>(List.of(new Dead(EVENT), new Dead(EVENT)));
        List<Optional<String>> asked = new ArrayList<>();
        try (EventReader reader = new EventReader(
                last -> {
                    asked.add(last);
                    return connections.remove();
                },
                Duration.ofSeconds(1))) {
            for (int i = 0; i < 2; i++) {
                assertThat(reader.next().map(Event::content)).contains(new Changed(Things.NODES));
            }
        }

        assertThat(asked).containsExactly(Optional.empty(), Optional.of(ID));
    }
}
