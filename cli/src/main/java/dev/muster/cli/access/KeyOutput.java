package dev.muster.cli.access;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.CreatedKey;
import dev.muster.cli.console.Ages;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.console.Table;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Keys as JSON, on whose names scripts rely, and as text. */
final class KeyOutput {
    /** So that the table has at most 80 columns. */
    private static final int NAME_WIDTH = 16;

    private static final int TENANT_WIDTH = 10;

    private KeyOutput() {}

    static ArrayNode document(List<ApiKeyInfo> keys) {
        ArrayNode list = Json.array();
        keys.forEach(key -> list.add(document(key)));
        return list;
    }

    static ObjectNode document(ApiKeyInfo key) {
        return addTo(Json.object().put("id", key.id()), key);
    }

    private static ObjectNode addTo(ObjectNode document, ApiKeyInfo key) {
        document.put("name", key.name()).put("scope", key.scope().text());
        ArrayNode roles = document.putArray("roles");
        key.roles().stream().sorted().forEach(roles::add);
        return document.put("tenant", key.tenant().orElse(null))
                .put("status", key.status().text())
                .put("created_at", Json.time(Optional.of(key.createdAt())))
                .put("expires_at", Json.time(key.expiresAt()))
                .put("revoked_at", Json.time(key.revokedAt()))
                .put("last_used_at", Json.time(key.lastUsedAt()))
                .put("replaced_by", key.replacedBy().orElse(null));
    }

    /** Standard output has the key alone, for scripts; people read the rest on standard error. */
    static void print(OutputOption output, CreatedKey created) {
        output.print(
                () -> addTo(Json.object().put("id", created.info().id()).put("key", created.key()), created.info()),
                created::key);
        if (!output.json()) {
            output.say(sentence(created.info()));
            output.say("The key is shown only once: Muster stores its hash alone. Keep it in a safe place.");
        }
    }

    private static String sentence(ApiKeyInfo key) {
        Ages ages = new Ages(key.createdAt());
        return "created key " + key.id() + " '" + Table.oneLine(key.name()) + "' with scope "
                + key.scope().text()
                + key.expiresAt()
                        .map(time -> ", which expires " + ages.of(time))
                        .orElse(", which never expires");
    }

    static String table(List<ApiKeyInfo> keys) {
        if (keys.isEmpty()) {
            return "no keys";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("ID", "NAME", "SCOPE", "TENANT", "EXPIRES", "LAST USED", "STATUS");
        for (ApiKeyInfo key : keys) {
            table.row(
                    key.id(),
                    Table.cut(key.name(), NAME_WIDTH),
                    key.scope().text(),
                    key.tenant().map(tenant -> Table.cut(tenant, TENANT_WIDTH)).orElse("-"),
                    ages.of(key.expiresAt()),
                    ages.of(key.lastUsedAt()),
                    key.status().text());
        }
        return table.toString();
    }
}
