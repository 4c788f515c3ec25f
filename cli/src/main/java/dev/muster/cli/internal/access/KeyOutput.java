package dev.muster.cli.internal.access;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.CreatedKey;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.document.internal.ApiKeyDocument;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Keys as people see them. */
final class KeyOutput {
    /** So that the table has at most 80 columns. */
    private static final int NAME_WIDTH = 16;

    private static final int TENANT_WIDTH = 10;

    private KeyOutput() {}

    /** Standard output has the key alone, for scripts; people read the rest on standard error. */
    static void print(OutputOption output, CreatedKey created) {
        output.print(() -> ApiKeyDocument.write(created), created::key);
        if (!output.json()) {
            output.say(sentence(created.info()));
            output.say("The key is shown only once: Muster stores its hash alone. Keep it in a safe place.");
        }
    }

    private static String sentence(ApiKeyInfo key) {
        Ages ages = new Ages(key.createdAt());
        return "created key " + key.id() + " '" + Table.oneLine(key.name()) + "' with scope "
                + key.scope().text()
                + (key.names().allowsAll() ? "" : " for the names " + key.names())
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
        return table + names(keys);
    }

    /** Below the table, because patterns are long. */
    private static String names(List<ApiKeyInfo> keys) {
        return keys.stream()
                .filter(key -> !key.names().allowsAll())
                .map(key -> "\nkey " + key.id() + " starts only: " + key.names())
                .collect(Collectors.joining());
    }
}
