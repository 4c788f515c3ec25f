package dev.muster.gateway.internal.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.document.internal.InvalidDocument;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TicketTest {
    private static Ticket ticket(Caller caller) {
        return new Ticket(
                "place_order",
                true,
                Signatures.hash(new byte[] {1}),
                caller,
                "r-1",
                "node-1",
                UUID.fromString("11111111-2222-3333-4444-555555555555"),
                "n",
                Instant.ofEpochMilli(1_700_000_000_123L),
                Duration.ofMillis(1_500),
                1);
    }

    @Test
    void aTicketIsReadAsItWasWritten() {
        Ticket full = ticket(Caller.builder("jwt:ada – «é»\r\nX: y", "Ada\n", Scope.WRITE)
                .auth(Auth.TOKEN)
                .roles(Set.of("a,b", "\"c\"", "é"))
                .names(NamePatterns.of("mail_*", "a"))
                .tenant(Optional.of("acme"))
                .address(Optional.of("::1"))
                .build());
        Ticket bare = ticket(Caller.program("shop"));

        assertThat(Ticket.decode(full.encode())).isEqualTo(full);
        assertThat(Ticket.decode(bare.encode())).isEqualTo(bare);
        assertThat(full.encode()).as("fits into a header").matches("[A-Za-z0-9_-]+");
    }

    @Test
    void whatIsNoTicketIsRefused() {
        for (String text : new String[] {
            "",
            "e30",
            "!",
            "bnVsbA",
            "W10",
            ticket(Caller.program("x")).encode().substring(8)
        }) {
            assertThatThrownBy(() -> Ticket.decode(text)).as(text).isInstanceOf(InvalidDocument.class);
        }
    }
}
