package dev.muster.access;

import dev.muster.internal.runtime.Known;
import dev.muster.runtime.NamePatterns;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a key; its text is not.
 *
 * @param id 12 characters of a-z and 0-9, also a part of the key's text
 * @param names what the key may start by its name
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
        NamePatterns names,
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
        REVOKED,
        /** A newer Muster has stored another one, which this version does not know. */
        UNKNOWN;

        /** The name in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
        public static Status stored(String text) {
            return Known.read(values(), Status::text, text, UNKNOWN);
        }

        /** All but {@link #UNKNOWN}: what people can choose or ask for. */
        public static List<Status> known() {
            return Known.allBut(UNKNOWN, values());
        }
    }
}
