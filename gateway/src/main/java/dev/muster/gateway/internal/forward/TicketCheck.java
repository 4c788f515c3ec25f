package dev.muster.gateway.internal.forward;

import dev.muster.access.Caller;
import dev.muster.document.internal.InvalidDocument;
import dev.muster.gateway.internal.auth.Authentication;
import dev.muster.gateway.internal.forward.Signatures.Signature;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import dev.muster.internal.access.ClusterKeys;
import dev.muster.internal.access.DatabaseClock;
import dev.muster.runtime.Clock;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Checks the tickets of forwarded calls: who calls is what an authentic ticket says. It sees the headers alone, before the body is
 * asked for; whether the body is the one that was signed is up to {@link #requireBody}.
 */
public final class TicketCheck implements Authentication {
    /** How long a ticket is good for. */
    static final Duration LIFE = Duration.ofSeconds(20);

    /** How much later than that it may expire, because two nodes estimate the database's clock. */
    private static final Duration TOLERANCE = Duration.ofSeconds(20);

    private final ClusterKeys keys;
    private final DatabaseClock time;
    private final Target target;
    private final Nonces nonces;
    private final RefusedTickets refused;

    /**
     * The node that checks.
     *
     * @param runs whether it runs the function of a name
     * @param called is told of each authentic ticket
     */
    public record Target(String node, Supplier<UUID> incarnation, Predicate<String> runs, Runnable called) {}

    /** @param clock the node's monotonic clock */
    public TicketCheck(ClusterKeys keys, DatabaseClock time, Target target, Clock clock) {
        this.keys = keys;
        this.time = time;
        this.target = target;
        this.nonces = new Nonces(clock);
        this.refused = new RefusedTickets(clock);
    }

    /** @throws Refusal with 401 if the ticket is not authentic, not for this node, not valid now or used; with 404 if the function is not here */
    @Override
    public Caller authenticate(UnaryOperator<@Nullable String> header, String address) {
        String text = header.apply(Ticket.HEADER);
        Optional<Signature> signature = Signature.parse(header.apply(Signatures.HEADER));
        if (text == null || signature.isEmpty()) {
            throw refused.refuse("it is not signed", address);
        }
        if (key(signature.get(), text).isEmpty()) {
            throw refused.refuse("its signature is wrong, or its key has expired", address);
        }
        Ticket ticket = decode(text, address);
        String problem = problem(ticket);
        if (problem != null) {
            throw refused.refuse(problem, address);
        }
        target.called().run();
        if (!target.runs().test(ticket.function())) {
            throw Refusal.notFound("this node does not run '" + ticket.function() + "'");
        }
        return ticket.caller();
    }

    private Optional<ClusterKey> key(Signature signature, String ticket) {
        return keys.find(
                signature.key(), secret -> MessageDigest.isEqual(Signatures.callMac(secret, ticket), signature.mac()));
    }

    private Ticket decode(String text, String address) {
        try {
            return Ticket.decode(text);
        } catch (InvalidDocument e) {
            throw refused.refuse("its ticket cannot be read: " + e.getMessage(), address);
        }
    }

    /** What is wrong with an authentic ticket; null if nothing is. */
    private @Nullable String problem(Ticket ticket) {
        if (!ticket.node().equals(target.node())
                || !ticket.incarnation().equals(target.incarnation().get())) {
            return "it is meant for another node, or for an earlier incarnation of this one";
        }
        if (ticket.hops() != 1) {
            return "it was forwarded " + ticket.hops() + " times";
        }
        if (!isTimely(ticket, time.now()) && !isTimely(ticket, time.doubted())) {
            return "it has expired, or expires too late";
        }
        return nonces.use(ticket.nonce(), LIFE.plus(TOLERANCE).plus(TOLERANCE)) ? null : "it was used before";
    }

    private static boolean isTimely(Ticket ticket, Instant now) {
        return ticket.expires().isAfter(now)
                && ticket.expires().isBefore(now.plus(LIFE).plus(TOLERANCE));
    }

    /**
     * The body and the path have arrived: are they those that were signed?
     *
     * @throws Refusal with 401 if not
     */
    public void requireBody(Ticket ticket, String function, byte[] body) {
        if (!ticket.function().equals(function) || !ticket.bodyHash().equals(Signatures.hash(body))) {
            throw refused.refuse("its body or its path is not the one that was signed", "a gateway");
        }
    }

    /** The key with which the ticket of a request was signed, for the signature of the answer. */
    public Optional<ClusterKey> keyOf(UnaryOperator<@Nullable String> header) {
        return Signature.parse(header.apply(Signatures.HEADER))
                .flatMap(signature -> keys.find(signature.key(), secret -> true));
    }

    /** How many calls were refused because of their tickets. */
    public long refused() {
        return refused.count();
    }
}
