package dev.muster.document.internal;

import dev.muster.cluster.LeaderInfo;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Leaders of the cluster.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class LeaderDocument {
    private LeaderDocument() {}

    public static Map<String, @Nullable Object> write(LeaderInfo leader) {
        return new JsonObjectWriter()
                .put("role", leader.role())
                .put("node", leader.node())
                .put("held", leader.isHeld())
                .put("term", leader.term())
                .put("timeline", leader.timeline())
                .put("since", leader.since())
                .put("expires_at", leader.expiresAt())
                .put("expired", leader.expired())
                .done();
    }

    public static LeaderInfo read(JsonObjectReader fields) {
        return new LeaderInfo(
                fields.text("role"),
                fields.optionalText("node"),
                fields.longNumber("term"),
                fields.longNumber("timeline"),
                fields.instant("since"),
                fields.instant("expires_at"),
                fields.flag("expired"));
    }
}
