package dev.muster.gateway.internal.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A file in memory.
 *
 * @param tag its {@code ETag}; weak, because it is the same for both encodings
 */
record StoredFile(String type, byte[] bytes, byte[] gzipped, String tag) {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml");

    static StoredFile of(String name, byte[] bytes) {
        String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
        String tag = "W/\"" + HexFormat.of().formatHex(sha256(bytes), 0, 12) + "\"";
        return new StoredFile(type, bytes, gzip(bytes), tag);
    }

    /** Whether the client has this file, by the header {@code If-None-Match}. */
    boolean isKnownAs(@Nullable String tags) {
        return tags != null
                && Arrays.stream(tags.split(","))
                        .map(String::strip)
                        .anyMatch(one -> one.equals("*") || one.equals(tag) || one.equals(tag.substring(2)));
    }

    /** Whether the header {@code Accept-Encoding} allows gzip. */
    static boolean takesGzip(@Nullable String encodings) {
        return encodings != null
                && Arrays.stream(encodings.toLowerCase(Locale.ROOT).split(","))
                        .map(one -> one.replace(" ", ""))
                        .anyMatch(
                                one -> one.equals("gzip") || one.startsWith("gzip;") && !one.matches(".*;q=0(\\.0*)?"));
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
