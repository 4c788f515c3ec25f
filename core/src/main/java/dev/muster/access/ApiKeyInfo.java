package dev.muster.access;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a key; its text is not.
 *
 * @param id 12 characters of a-z and 0-9, also a part of the key's text
 * @param tenant whose things alone the key may use; empty: those of all
 * @param expiresAt by the database's clock; empty: never
 * @param lastUsedAt give or take a minute; empty: never
 * @param replacedBy the id of the key's successor
 * @param status by the database's clock, when this was read
 */
public record ApiKeyInfo(
        String id,
        String name,
        Scope scope,
        Set<String> roles,
        Optional<String> tenant,
        Instant createdAt,
        Optional<Instant> expiresAt,
        Optional<Instant> revokedAt,
        Optional<Instant> lastUsedAt,
        Optional<String> replacedBy,
        Status status) {

    public ApiKeyInfo {
        roles = Set.copyOf(roles);
    }

    /** Whether a key is accepted. */
    public enum Status {
        LIVE,
        EXPIRED,
        REVOKED;

        /** The name in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Status parse(String text) {
            return Arrays.stream(values())
                    .filter(status -> status.text().equals(text))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
