package dev.muster.gateway.internal.forward;

import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** HMAC-SHA256 over tickets and answers. The first line of what is signed says what it is, so that one is never taken for the other. */
public final class Signatures {
    /** The header with the signature, of a call and of its answer. */
    public static final String HEADER = "X-Muster-Signature";

    /** The headers of an answer that reach the caller, in the order in which they are signed. */
    public static final List<String> PASSED_ON =
            List.of("Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");

    private static final String CALL = "muster-call-1\nPOST /_internal/rpc\n";
    private static final String ANSWER = "muster-answer-1\n";
    private static final Pattern SIGNATURE = Pattern.compile("([0-9]{1,18})\\.([0-9a-f]{64})");

    private Signatures() {}

    /**
     * A signature as the header has it.
     *
     * @param key the number of the key
     */
    record Signature(long key, byte[] mac) {
        static Optional<Signature> parse(@Nullable String text) {
            Matcher matcher = SIGNATURE.matcher(text == null ? "" : text);
            return matcher.matches()
                    ? Optional.of(new Signature(
                            Long.parseLong(matcher.group(1)), HexFormat.of().parseHex(matcher.group(2))))
                    : Optional.empty();
        }
    }

    /** @param ticket as it stands in its header; it names the function, and so the rest of the path */
    static String ofCall(ClusterKey key, String ticket) {
        return text(key, callMac(key.secret(), ticket));
    }

    static byte[] callMac(byte[] secret, String ticket) {
        return mac(secret, CALL + ticket);
    }

    /**
     * @param nonce of the call
     * @param headers all that the answer has; only those that are passed on are signed
     */
    public static String ofAnswer(ClusterKey key, String nonce, int status, Map<String, String> headers, byte[] body) {
        StringBuilder signed =
                new StringBuilder(ANSWER).append(nonce).append('\n').append(status);
        for (String name : PASSED_ON) {
            signed.append('\n').append(headers.getOrDefault(name, ""));
        }
        signed.append('\n').append(hash(body));
        return text(key, mac(key.secret(), signed.toString()));
    }

    private static String text(ClusterKey key, byte[] mac) {
        return key.number() + "." + HexFormat.of().formatHex(mac);
    }

    /** The SHA-256 in hex. */
    public static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static byte[] mac(byte[] secret, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has HmacSHA256", e);
        }
    }
}
