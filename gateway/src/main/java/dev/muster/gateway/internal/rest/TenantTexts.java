package dev.muster.gateway.internal.rest;

import dev.muster.internal.job.store.EnginePhrase;
import dev.muster.job.Placement;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Texts of Muster's own that name nodes, or jobs of others, in the words in which a tenant gets them. What a handler throws or logs is its
 * author's, and is left as it is.
 */
final class TenantTexts {
    private static final String NODE = "node ";
    private static final List<EnginePhrase> LOST = List.of(EnginePhrase.DIED, EnginePhrase.STOPPED, EnginePhrase.LOST);

    private TenantTexts() {}

    /** The error of a job or of an attempt; null if there is none. */
    static @Nullable String error(Optional<String> error) {
        return error.map(TenantTexts::error).orElse(null);
    }

    private static String error(String text) {
        if (EnginePhrase.PUT_BACK.begins(text)) {
            return "put back in the queue, because its node could not run it";
        }
        if (EnginePhrase.LOST_PARENT.begins(text)) {
            int status = text.lastIndexOf(", which is ");
            return "cancelled: it depends on a job" + (status < 0 ? "" : text.substring(status));
        }
        if (EnginePhrase.EXITED.begins(text)) {
            int crash = text.lastIndexOf(" (crash ");
            return "it called System.exit" + (crash < 0 ? "" : text.substring(crash));
        }
        if (text.startsWith(NODE)) {
            for (EnginePhrase what : LOST) {
                int at = text.lastIndexOf(what.text());
                if (at > 0) {
                    return "its node" + text.substring(at);
                }
            }
        }
        return text;
    }

    /** Which nodes may run a job, unless it names nodes; null if any may. */
    static @Nullable String placement(Optional<String> capability) {
        return capability
                .filter(text -> {
                    Placement placement = Placement.isExpression(text) ? Placement.parse(text) : Placement.ANYWHERE;
                    return placement.nodes().isEmpty() && placement.notNodes().isEmpty();
                })
                .orElse(null);
    }
}
