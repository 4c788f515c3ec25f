package dev.muster.access;

import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.StorableText;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * A key to create:
 *
 * <pre>{@code
 * apiKeys.create(KeyRequest.of("billing", Scope.WRITE).tenant("acme").expiresIn(Duration.ofDays(90)));
 * }</pre>
 *
 * @param name for people, 1 to 100 printable characters; several keys may have the same
 * @param scope the highest scope that callers with this key have
 * @param roles the application's own roles, which functions may require; 100 at most
 * @param names what the key may start by its name: jobs, functions, workflows, tasks of graphs and crons' jobs
 * @param tenant whose things alone the key may use; empty: those of all
 * @param expiresIn one second to 3650 days; empty: the key never expires
 */
public record KeyRequest(
        String name,
        Scope scope,
        Set<String> roles,
        NamePatterns names,
        Optional<String> tenant,
        Optional<Duration> expiresIn) {
    private static final int MAX_NAME = 100;
    private static final int MAX_ROLES = 100;
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    public static final Duration LONGEST = Duration.ofDays(3650);

    /**
     * @throws InvalidKeyRequest if a part of it is not allowed
     * @throws dev.muster.runtime.InvalidName if a role is not a name
     */
    public KeyRequest {
        requireName(name);
        if (scope == Scope.UNKNOWN) {
            throw new InvalidKeyRequest("unknown is no scope to choose");
        }
        roles = Set.copyOf(roles);
        if (roles.size() > MAX_ROLES) {
            throw new InvalidKeyRequest("a key has at most " + MAX_ROLES + " roles, not " + roles.size());
        }
        roles.forEach(role -> Names.require("role", role));
        tenant.ifPresent(KeyRequest::requireTenant);
        expiresIn.ifPresent(KeyRequest::requireLifetime);
    }

    public static KeyRequest of(String name, Scope scope) {
        return new KeyRequest(name, scope, Set.of(), NamePatterns.ALL, Optional.empty(), Optional.empty());
    }

    public KeyRequest roles(Set<String> newRoles) {
        return new KeyRequest(name, scope, newRoles, names, tenant, expiresIn);
    }

    /**
     * Restricts what the key may start by its name to what one of these {@linkplain dev.muster.runtime.NamePattern patterns} matches, such as
     * {@code mail_*}. Without this it may start everything that its scope allows; with an empty set, nothing. It restricts no reading.
     *
     * @throws dev.muster.runtime.InvalidName if one is no pattern, or if there are more than 100
     */
    public KeyRequest names(Set<String> patterns) {
        return new KeyRequest(name, scope, roles, NamePatterns.of(patterns), tenant, expiresIn);
    }

    public KeyRequest tenant(String newTenant) {
        return new KeyRequest(name, scope, roles, names, Optional.of(newTenant), expiresIn);
    }

    public KeyRequest expiresIn(Duration lifetime) {
        return new KeyRequest(name, scope, roles, names, tenant, Optional.of(lifetime));
    }

    private static void requireName(String name) {
        if (name.isBlank()
                || !name.equals(name.strip())
                || name.codePointCount(0, name.length()) > MAX_NAME
                || !isPrintable(name)) {
            throw new InvalidKeyRequest("a key needs a name of 1 to " + MAX_NAME
                    + " printable characters that neither begins nor ends with a blank");
        }
    }

    /** Whether the database can store the text, and a terminal shows it as it is. */
    static boolean isPrintable(String text) {
        return StorableText.isStorable(text) && text.codePoints().allMatch(KeyRequest::isPrintable);
    }

    /** Whether a terminal shows it as it is: no control characters, line breaks or marks that change the direction of a text. */
    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** Whether there can be a tenant with this name. */
    static boolean isTenant(String tenant) {
        return !isTooShortOrLong(tenant) && isPrintable(tenant);
    }

    private static boolean isTooShortOrLong(String tenant) {
        return tenant.isBlank() || !tenant.equals(tenant.strip()) || tenant.length() > MAX_NAME;
    }

    private static void requireTenant(String tenant) {
        if (isTooShortOrLong(tenant)) {
            throw new InvalidKeyRequest(
                    "a tenant has 1 to " + MAX_NAME + " characters and neither begins nor ends with a blank");
        }
        if (!isPrintable(tenant)) {
            throw new InvalidKeyRequest("a tenant has printable characters only");
        }
    }

    private static void requireLifetime(Duration lifetime) {
        boolean tooShort = lifetime.compareTo(SHORTEST) < 0;
        if (tooShort || lifetime.compareTo(LONGEST) > 0) {
            throw new InvalidKeyRequest(
                    "a key expires in 1s to " + LONGEST.toDays() + "d, not " + (tooShort ? "earlier" : "later"));
        }
    }
}
