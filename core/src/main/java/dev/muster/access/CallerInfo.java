package dev.muster.access;

import dev.muster.internal.runtime.Known;
import dev.muster.runtime.NamePatterns;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A caller of a gateway as the gateway sees it, and the node that has answered.
 *
 * @param id such as {@code key:7fQ2…}; see {@link Caller#id}
 * @param names what the caller may start by its name
 * @param tenant if present, the caller sees only what belongs to this tenant
 * @param observer whether the node only reads, so that it refuses changes whatever the scope is
 * @param node empty for callers of a tenant, who learn nothing of nodes
 * @param version of Muster
 */
public record CallerInfo(
        String id,
        Scope scope,
        NamePatterns names,
        Optional<String> tenant,
        boolean observer,
        Auth auth,
        Optional<String> node,
        String version) {

    /** How the caller has shown who it is. */
    public enum Auth {
        /** Not at all: the gateway asks for nothing. */
        NONE,
        KEY,
        TOKEN,
        /** By the application in whose web server the gateway is. */
        APPLICATION,
        /** A newer Muster has stored another one, which this version does not know. */
        UNKNOWN;

        /** The name in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
        public static Auth stored(String text) {
            return Known.read(values(), Auth::text, text, UNKNOWN);
        }

        /** All but {@link #UNKNOWN}: what people can choose or ask for. */
        public static List<Auth> known() {
            return Known.allBut(UNKNOWN, values());
        }
    }
}
