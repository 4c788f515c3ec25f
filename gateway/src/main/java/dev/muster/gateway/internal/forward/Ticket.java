package dev.muster.gateway.internal.forward;

import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.document.internal.InvalidDocument;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.runtime.NamePatterns;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway says about a call that it forwards. It travels in a header, and is signed as it stands there.
 *
 * @param hasArgs whether the body is the args; otherwise there are none, and the body says nothing
 * @param bodyHash the SHA-256 of the body, in hex
 * @param node the node that the ticket is meant for
 * @param incarnation of that node
 * @param nonce good for one call
 * @param expires by the database's clock
 * @param within how long the call may take
 * @param hops how many times the call was forwarded, this time included
 */
public record Ticket(
        String function,
        boolean hasArgs,
        String bodyHash,
        Caller caller,
        String requestId,
        String node,
        UUID incarnation,
        String nonce,
        Instant expires,
        Duration within,
        int hops) {
    /** The header with the ticket. */
    public static final String HEADER = "X-Muster-Ticket";

    /** The text in the header. */
    public String encode() {
        Map<String, @Nullable Object> document = new JsonObjectWriter()
                .put("function", function)
                .put("has_args", hasArgs)
                .put("body_hash", bodyHash)
                .put("caller", caller(caller))
                .put("request_id", requestId)
                .put("node", node)
                .put("incarnation", incarnation.toString())
                .put("nonce", nonce)
                .put("expires_ms", expires.toEpochMilli())
                .put("within_ms", within.toMillis())
                .put("hops", hops)
                .done();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Json.write(document).getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, @Nullable Object> caller(Caller caller) {
        return new JsonObjectWriter()
                .put("id", caller.id())
                .put("name", caller.name())
                .put("auth", caller.auth().text())
                .put("scope", caller.scope().text())
                .put("roles", new TreeSet<>(caller.roles()))
                .put("names", caller.names().texts())
                .put("tenant", caller.tenant())
                .put("address", caller.address())
                .done();
    }

    /** @throws InvalidDocument if the text is no ticket of this version */
    public static Ticket decode(String text) {
        JsonObjectReader fields = JsonObjectReader.read(decoded(text));
        return new Ticket(
                fields.text("function"),
                fields.flag("has_args"),
                fields.text("body_hash"),
                caller(fields.object("caller")),
                fields.text("request_id"),
                fields.text("node"),
                fields.parsed("incarnation", Ticket::uuid),
                fields.text("nonce"),
                Instant.ofEpochMilli(fields.longNumber("expires_ms")),
                Duration.ofMillis(fields.longNumber("within_ms")),
                fields.integer("hops"));
    }

    private static String decoded(String text) {
        try {
            return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new InvalidDocument("", "the ticket is not base64", e);
        }
    }

    private static UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidDocument("incarnation", "must be a UUID", e);
        }
    }

    private static Caller caller(JsonObjectReader fields) {
        return Caller.builder(
                        fields.text("id"),
                        fields.text("name"),
                        fields.choice("scope", Scope.known().toArray(Scope[]::new), Scope::text))
                .auth(Auth.stored(fields.text("auth")))
                .roles(Set.copyOf(fields.texts("roles")))
                .names(fields.placed("names", fields.texts("names"), NamePatterns::of))
                .tenant(fields.optionalText("tenant"))
                .address(fields.optionalText("address"))
                .build();
    }
}
