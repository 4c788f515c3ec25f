package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.postgres.internal.db.KnownServers.Primary;
import dev.muster.postgres.internal.db.KnownServers.Server;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which connections live on when a primary is found. */
class KnownServersTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Server a = new Server("a" + NAMES.incrementAndGet(), 5432);
    private final Server b = new Server("b" + NAMES.get(), 5432);
    private final KnownServers servers = KnownServers.named(List.of(a, b));
    private final Primary old = new Primary(1, 1_000);
    private final Primary promoted = new Primary(2, 2_000);

    /** A connection that remembers whether it was ended. */
    private static final class Link {
        volatile boolean ended;

        final Connection connection = (Connection) Proxy.newProxyInstance(
                Link.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("abort")) {
                        ended = true;
                    }
                    return switch (method.getName()) {
                        case "isClosed" -> ended;
                        case "hashCode" -> System.identityHashCode(self);
                        case "equals" -> self == arguments[0];
                        default -> null;
                    };
                });
    }

    @Test
    void connectionsToAServerThatIsNoPrimaryAnyMoreAreEnded() {
        Link before = new Link();
        Link after = new Link();
        assertThat(servers.take(before.connection, a, old)).isTrue();

        assertThat(servers.take(after.connection, b, promoted)).isTrue();

        assertThat(before.ended).isTrue();
        assertThat(after.ended).isFalse();
        assertThat(servers.inOrder()).containsExactly(b, a);
    }

    @Test
    void twoAddressesOfOneServerAreOneServer() {
        Link through = new Link();
        Link aside = new Link();
        servers.take(through.connection, a, old);
        servers.take(aside.connection, b, old);

        assertThat(through.ended).isFalse();

        servers.take(new Link().connection, b, promoted);
        assertThat(through.ended).as("of a former primary").isTrue();
        assertThat(aside.ended).as("through the same address").isFalse();
    }

    /** One thread has asked the former primary when another finds the new one, and hands in what it found afterwards. */
    @Test
    void aFormerPrimaryIsRefusedAndEndsNobody() {
        Link current = new Link();
        Link late = new Link();
        servers.take(current.connection, b, promoted);

        assertThat(servers.take(late.connection, a, old)).isFalse();

        assertThat(current.ended).isFalse();
        assertThat(servers.inOrder()).containsExactly(b, a);
    }

    @Test
    void aFormerPrimaryThatWasTakenForWantOfABetterOneIsLeftWhenThereIsOne() {
        servers.take(new Link().connection, b, promoted);
        Link past = new Link();
        servers.takeForWantOfABetterOne(past.connection, a, old);

        servers.take(new Link().connection, b, promoted);

        assertThat(past.ended).isTrue();
    }
}
