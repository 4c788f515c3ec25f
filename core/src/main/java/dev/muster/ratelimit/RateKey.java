package dev.muster.ratelimit;

import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.StorableText;
import dev.muster.runtime.InvalidName;

/**
 * What is limited, and for whom. The kind says who shares a limit, and with {@code rate_limit.mode = hybrid} also where it is counted:
 * users and addresses in the memory of each node, tenants and global keys in the database, for the whole cluster.
 *
 * <p>The same key with windows of different lengths has a count for each length.
 *
 * @param name what is limited, such as {@code login}: starts with a-z and holds only a-z, 0-9, '_', '.', ':' and '-', 127 characters at most
 * @param who the user, address or tenant, 1 to 200 characters other than the character 0; empty for a global key
 */
public record RateKey(Kind kind, String name, String who) {
    private static final int MAX_WHO = 200;

    /** Who shares a limit. */
    public enum Kind {
        /** Each user has a limit of its own; local with {@code hybrid}. */
        USER("user", true),
        /** Each address has a limit of its own; local with {@code hybrid}. */
        IP("ip", true),
        /** Each tenant has a limit of its own. */
        TENANT("tenant", false),
        /** There is one limit for all. */
        GLOBAL("global", false);

        private final String text;
        private final boolean local;

        Kind(String text, boolean local) {
            this.text = text;
            this.local = local;
        }

        /** Whether {@code hybrid} counts it in the memory of each node. */
        public boolean isLocal() {
            return local;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** @throws InvalidRateLimit if it breaks the rules */
    public RateKey {
        try {
            Names.require("name of a rate limit", name);
        } catch (InvalidName e) {
            throw new InvalidRateLimit(String.valueOf(e.getMessage()));
        }
        if (kind == Kind.GLOBAL ? !who.isEmpty() : !isWho(who)) {
            throw new InvalidRateLimit(problem(kind, name, who));
        }
    }

    private static boolean isWho(String who) {
        return who != null && !who.isEmpty() && who.length() <= MAX_WHO && StorableText.isStorable(who);
    }

    private static String problem(Kind kind, String name, String who) {
        String of = "the " + kind + " of the rate limit '" + name + "' ";
        if (kind == Kind.GLOBAL) {
            return "a global key has only a name: 'who' must be empty, not '" + who + "'";
        }
        if (who == null || who.isEmpty()) {
            return of + "is empty: it must have 1 to " + MAX_WHO + " characters";
        }
        if (who.length() > MAX_WHO) {
            return of + "has " + who.length() + " characters: it must have 1 to " + MAX_WHO
                    + "; use a hash of longer ones";
        }
        return of + "contains the character 0 or half a surrogate pair, which the database cannot store";
    }

    /** A limit for each user: {@code RateKey.user("login", "ada")}. */
    public static RateKey user(String name, String user) {
        return new RateKey(Kind.USER, name, user);
    }

    /** A limit for each address: {@code RateKey.ip("login", "192.0.2.7")}. */
    public static RateKey ip(String name, String address) {
        return new RateKey(Kind.IP, name, address);
    }

    /** A limit for each tenant: {@code RateKey.tenant("api", "acme")}. */
    public static RateKey tenant(String name, String tenant) {
        return new RateKey(Kind.TENANT, name, tenant);
    }

    /** One limit for all: {@code RateKey.global("sms")}. */
    public static RateKey global(String name) {
        return new RateKey(Kind.GLOBAL, name, "");
    }

    /** As in {@code muster_rate_limits.key}: {@code user/login/ada}, {@code global/sms}. No two keys have the same text. */
    @Override
    public String toString() {
        return kind == Kind.GLOBAL ? kind + "/" + name : kind + "/" + name + "/" + who;
    }
}
