package dev.muster.gateway.internal;

import dev.muster.document.internal.InvalidDocument;
import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request.
 *
 * @param text null if there is none
 * @param tree as {@link Json} read it
 * @param problem why it is not JSON; null if it is
 */
record Body(
        @Nullable String text,
        @Nullable Object tree,
        @Nullable String problem) {
    private static final Body NONE = new Body(null, null, null);
    private static final String TYPE = "application/json";

    /** How much memory a body has before it has arrived. */
    private static final int FIRST_ROOM = 1 << 16;

    /** The same if its length was not announced. */
    private static final int UNANNOUNCED = 1 << 13;

    /**
     * Waits until the body has arrived, which takes as long as the caller wants, up to the limit.
     *
     * @param memory what the body takes of the memory that there is for all of them
     * @return empty if the route takes none
     * @throws Refusal if it does not come, or is too large
     */
    static byte[] arrived(Route route, Request request, long maxBytes, Duration limit, ArrivedBodies.Share memory) {
        return route.request().isEmpty() ? new byte[0] : bytes(request, maxBytes, limit, memory);
    }

    /**
     * Reads what has arrived.
     *
     * @param room what it takes of the memory that there is for all bodies
     * @throws Refusal if the route takes no such body
     */
    static Body read(Route route, Request request, byte[] bytes, int maxDepth, BodyRoom.Share room) {
        if (route.request().isEmpty()) {
            return NONE;
        }
        if (bytes.length == 0) {
            if (route.bodyRequired()) {
                throw Refusal.badRequest("the body is missing; it must be JSON");
            }
            return NONE;
        }
        requireJson(request.header().apply("Content-Type"));
        room.take(bytes.length);
        try {
            String text = text(bytes);
            Object tree = Json.read(text, maxDepth);
            return tree == null && mayMiss(route) ? NONE : new Body(text, tree, null);
        } catch (InvalidDocument | CharacterCodingException e) {
            String problem = e instanceof InvalidDocument
                    ? String.valueOf(e.getMessage())
                    : "the document is not JSON: it is not valid UTF-8";
            if (route.parsesBody()) {
                return new Body("", null, problem);
            }
            throw Refusal.of(400, "invalid_json", problem.replaceFirst("^the document", "the body"));
        }
    }

    /** Without what it says: for functions, which read it themselves. */
    Body withoutTree() {
        return new Body(text, null, problem);
    }

    /** Whether null is as good as no body, which is what some generated clients send for one that was left out. For a function it is a value. */
    private static boolean mayMiss(Route route) {
        return !route.bodyRequired()
                && route.request().filter(schema -> !schema.type().isEmpty()).isPresent();
    }

    /** Browsers send other content types to any server without asking it first. */
    private static void requireJson(@Nullable String type) {
        String essence = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (!essence.equals(TYPE)) {
            throw Refusal.of(
                    415,
                    "unsupported_media_type",
                    "the body must be sent with Content-Type: " + TYPE
                            + (type == null ? "" : ", not " + printable(type)));
        }
    }

    private static String printable(String header) {
        String text = header.length() > 80 ? header.substring(0, 80) + "…" : header;
        return text.replaceAll("[^\\x20-\\x7e…]", "?");
    }

    private static byte[] bytes(Request request, long maxBytes, Duration limit, ArrivedBodies.Share memory) {
        if (request.length() > maxBytes) {
            throw tooLarge(maxBytes);
        }
        long deadline = System.nanoTime() + limit.toNanos();
        // What was announced may never come. A body of the announced length is in memory once.
        long announced = request.length();
        byte[] bytes = new byte[announced > 0 ? (int) Math.min(FIRST_ROOM, announced) : UNANNOUNCED];
        memory.growTo(bytes.length);
        int size = 0;
        try (InputStream in = request.body().get()) {
            while (true) {
                int count;
                if (size < bytes.length) {
                    count = in.read(bytes, size, bytes.length - size);
                } else {
                    int next = in.read();
                    count = next < 0 ? -1 : 1;
                    if (count == 1) {
                        int larger = (int) Math.min(2L * size, size < announced ? announced : maxBytes + 1);
                        memory.growTo(larger);
                        bytes = Arrays.copyOf(bytes, larger);
                        bytes[size] = (byte) next;
                    }
                }
                if (count < 0) {
                    break;
                }
                size += count;
                if (size > maxBytes) {
                    throw tooLarge(maxBytes);
                }
                if (System.nanoTime() - deadline > 0) {
                    throw tooSlow(limit);
                }
            }
        } catch (IOException e) {
            throw e.getCause() instanceof TimeoutException
                            || e.getMessage() != null && e.getMessage().contains("imeout")
                    ? tooSlow(limit)
                    : Refusal.badRequest("the body ended early").header("Connection", "close");
        }
        return bytes.length == size ? bytes : Arrays.copyOf(bytes, size);
    }

    private static Refusal tooLarge(long maxBytes) {
        return Refusal.of(413, "too_large", "the body may have " + maxBytes + " bytes at most (gateway.max_body)")
                .header("Connection", "close");
    }

    private static Refusal tooSlow(Duration limit) {
        return Refusal.of(
                        408,
                        "too_slow",
                        "the body did not arrive within " + limit.toSeconds() + " s (gateway.read_timeout)")
                .header("Connection", "close");
    }

    private static String text(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }
}
