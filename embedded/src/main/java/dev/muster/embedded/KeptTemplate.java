package dev.muster.embedded;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * A template database that outlives the JVM: the user's cache keeps the data of a server that has it.
 *
 * @param version whatever decides what the preparation makes, so that another version is another template
 */
record KeptTemplate(String key, String version, Consumer<String> prepare) {
    private static final int HEX_DIGITS = 16;

    /** All versions of it are in folders whose names begin with this. */
    String family() {
        return "-template-" + key + "-";
    }

    /** Part of a folder's name. */
    String id() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(version.getBytes(StandardCharsets.UTF_8));
            return family() + HexFormat.of().formatHex(hash).substring(0, HEX_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
