package dev.muster.gateway.internal.forward;

import dev.muster.gateway.internal.forward.Attempt.Answered;
import dev.muster.gateway.internal.forward.Attempt.Lost;
import dev.muster.gateway.internal.forward.Attempt.NotTaken;
import dev.muster.gateway.internal.forward.CallConnection.Received;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.Traceparent;
import dev.muster.internal.telemetry.CallerTrace;
import dev.muster.runtime.Clock;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Sends a call to one node: asks for permission, sends the body, reads the answer. Thread-safe. */
final class Exchange implements AutoCloseable {
    /** How much longer than the call may take its answer is waited for: the node itself answers that the time is over. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private static final int UNAUTHORIZED = 401;

    private final Clock clock;
    private final Duration acceptWithin;
    private final IdleConnections idle;

    /**
     * A ticket and its signature.
     *
     * @param text the ticket as it stands in its header
     */
    record Signed(Ticket ticket, String text, ClusterKey key, String signature) {}

    /** @param acceptWithin how long a node may take to accept a connection, and to ask for the body */
    Exchange(Clock clock, Duration acceptWithin) {
        this.clock = clock;
        this.acceptWithin = acceptWithin;
        this.idle = new IdleConnections(clock);
    }

    /**
     * @param sign makes a ticket; each connection needs one of its own, because the node may have seen the one before
     * @param left how long the call may take
     */
    Attempt attempt(Candidate node, Supplier<Signed> sign, byte[] body, Duration left) {
        Signed first = sign.get();
        Optional<CallConnection> waiting = idle.take(node.address());
        if (waiting.isPresent()) {
            try {
                return call(waiting.get(), node, first, body, left);
            } catch (SocketTimeoutException e) {
                return silent();
            } catch (IOException e) {
                // The node may have closed the connection because nobody used it; a new one tells.
            }
        }
        Signed signed = waiting.isPresent() ? sign.get() : first;
        Duration limit = Durations.shorter(acceptWithin, left);
        try {
            return call(CallConnection.open(node.address(), limit, clock), node, signed, body, left);
        } catch (SocketTimeoutException e) {
            return silent();
        } catch (IOException e) {
            return new NotTaken(inWords(e), false);
        }
    }

    private NotTaken silent() {
        return new NotTaken("did not answer within " + acceptWithin.toSeconds() + " s", false);
    }

    private static String inWords(IOException e) {
        if (e instanceof ConnectException) {
            return "refused the connection";
        }
        return e instanceof UnknownHostException ? "has an address that is not known" : "closed the connection";
    }

    /** @throws IOException if the connection broke before the body was sent */
    private Attempt call(CallConnection connection, Candidate node, Signed signed, byte[] body, Duration left)
            throws IOException {
        Received first;
        try {
            connection.send(head(node, signed, body.length), acceptWithin);
            first = connection.receive(acceptWithin);
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
        if (!CallConnection.isPermission(first)) {
            connection.close();
            return new NotTaken("refused it with " + first.status(), first.status() == UNAUTHORIZED);
        }
        Attempt attempt = send(connection, signed, body, left.plus(GRACE));
        idle.give(node.address(), connection);
        return attempt;
    }

    /** From here on the node may run the function. */
    private static Attempt send(CallConnection connection, Signed signed, byte[] body, Duration limit) {
        try {
            connection.send(body, limit);
            Received received = connection.receive(limit);
            return isAuthentic(signed, received)
                    ? new Answered(answer(received))
                    : new Lost("gave an answer that is not signed, with " + received.status(), true, false);
        } catch (SocketTimeoutException e) {
            return new Lost("did not answer in time", connection.hasBegunToAnswer(), true);
        } catch (IOException e) {
            return new Lost("broke the connection", connection.hasBegunToAnswer(), false);
        }
    }

    private static boolean isAuthentic(Signed signed, Received received) {
        String expected = Signatures.ofAnswer(
                signed.key(), signed.ticket().nonce(), received.status(), received.headers(), received.body());
        String given = received.headers().getOrDefault(Signatures.HEADER, "");
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.US_ASCII));
    }

    private static Answer answer(Received received) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : Signatures.PASSED_ON) {
            String value = received.headers().get(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        return new Answer(received.status(), received.body(), Answer.JSON, headers);
    }

    private static byte[] head(Candidate node, Signed signed, int length) {
        String trace = CallerTrace.current();
        String head = "POST /_internal/rpc/" + signed.ticket().function() + " HTTP/1.1\r\n"
                + "Host: " + node.host() + "\r\n"
                + "Content-Type: application/json\r\n"
                + "Content-Length: " + length + "\r\n"
                + "Expect: 100-continue\r\n"
                + "X-Request-Id: " + signed.ticket().requestId() + "\r\n"
                + (trace == null ? "" : Traceparent.HEADER + ": " + trace + "\r\n")
                + Ticket.HEADER + ": " + signed.text() + "\r\n"
                + Signatures.HEADER + ": " + signed.signature() + "\r\n\r\n";
        return head.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        idle.close();
    }
}
