package dev.muster.gateway.internal.auth;

import dev.muster.access.Caller;
import dev.muster.gateway.internal.route.Refusal;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Finds out who sends a request. */
@FunctionalInterface
public interface Authentication {
    /** All headers by which callers are told apart: what they show, and for callers without a key which page they come from. */
    List<String> HEADERS = List.of("Authorization", "X-API-Key", "Host", "Origin");

    /**
     * @param header the request's header of a name, in any case
     * @param address where the request comes from
     * @throws Refusal with 401 if the caller is not known, or 429 if the address has sent too many wrong
     *     credentials and several are being checked
     */
    Caller authenticate(UnaryOperator<@Nullable String> header, String address);

    /**
     * Asks once more about somebody who was let in, such as a listener. That is no attempt to guess a key: it is not counted, and it is
     * answered however many wrong ones have come from the address.
     *
     * @throws Refusal with 401 if the caller is not known any more
     */
    default Caller authenticateAgain(UnaryOperator<@Nullable String> header, String address) {
        return authenticate(header, address);
    }

    /** The request shows nothing, or nothing that is known. */
    static Refusal unauthorized(String message) {
        return Refusal.of(401, "unauthorized", message).header("WWW-Authenticate", "Bearer realm=\"muster\"");
    }
}
