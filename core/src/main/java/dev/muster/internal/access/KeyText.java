package dev.muster.internal.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/** The text of a key: {@code mk_}, 12 characters of a-z and 0-9, {@code _}, and 256 random bits as base64url. */
final class KeyText {
    private static final String PREFIX = "mk_";
    private static final String ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int ID_LENGTH = 12;
    private static final int ID_END = PREFIX.length() + ID_LENGTH;
    private static final int SECRET_BYTES = 32;
    private static final int SECRET_LENGTH = 43;
    private static final int LENGTH = ID_END + 1 + SECRET_LENGTH;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String id;
    private final String text;

    private KeyText(String id, String text) {
        this.id = id;
        this.text = text;
    }

    static KeyText random() {
        StringBuilder id = new StringBuilder(ID_LENGTH);
        for (int i = 0; i < ID_LENGTH; i++) {
            id.append(ID_CHARACTERS.charAt(RANDOM.nextInt(ID_CHARACTERS.length())));
        }
        byte[] secret = new byte[SECRET_BYTES];
        RANDOM.nextBytes(secret);
        String text =
                PREFIX + id + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        return new KeyText(id.toString(), text);
    }

    /** What a caller has sent, unless it cannot be a key. */
    static Optional<KeyText> parse(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX) || text.charAt(ID_END) != '_') {
            return Optional.empty();
        }
        String id = text.substring(PREFIX.length(), ID_END);
        boolean wellFormed = isId(id) && text.substring(ID_END + 1).chars().allMatch(KeyText::isBase64Url);
        return wellFormed ? Optional.of(new KeyText(id, text)) : Optional.empty();
    }

    /** Whether a key can have this id. */
    static boolean isId(String id) {
        return id.length() == ID_LENGTH && id.chars().allMatch(c -> ID_CHARACTERS.indexOf(c) >= 0);
    }

    private static boolean isBase64Url(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_';
    }

    String id() {
        return id;
    }

    String text() {
        return text;
    }

    /** The SHA-256 of the whole text. */
    byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes the same time wherever the two differ. */
    boolean hasHash(byte[] hash) {
        return MessageDigest.isEqual(hash(), hash);
    }

    @Override
    public String toString() {
        return PREFIX + id + "_…";
    }
}
