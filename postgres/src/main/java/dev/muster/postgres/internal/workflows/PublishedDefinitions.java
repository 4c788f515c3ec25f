package dev.muster.postgres.internal.workflows;

import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.internal.workflow.WorkflowStore.Window;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.Workflow.Lifecycle;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The versions of workflows that nodes have published. */
final class PublishedDefinitions {
    private final Database database;

    PublishedDefinitions(Database database) {
        this.database = database;
    }

    void publish(Collection<Definition> definitions) {
        List<Definition> all = List.copyOf(definitions);
        database.inTransaction(connection -> database.query("workflows/publish")
                .with(p -> p.column("text", all, Definition::name)
                        .column("text", all, Definition::version)
                        .column("text", all, Definition::signature)
                        .column("text", all, definition -> lower(definition.lifecycle()))
                        .column("text", all, definition -> String.join(" ", definition.steps()))
                        .column(
                                "text",
                                all,
                                definition -> definition.options().lane().queue())
                        .column(
                                "text",
                                all,
                                definition -> definition.options().lane().capability())
                        .column(
                                "int2",
                                all,
                                definition -> definition.options().priority().level())
                        .column("int2", all, definition -> definition.options().maxCrashes()))
                .update(connection));
    }

    Window wakeBlocked(Collection<Definition> definitions, @Nullable JobId after) {
        List<Definition> all = List.copyOf(definitions);
        return database.inTransaction(connection -> database.query("workflows/wake_blocked")
                .with(p -> p.uuid(RunReader.orFirst(after))
                        .column("text", all, Definition::name)
                        .column("text", all, Definition::version))
                .one(connection, RunReader::window));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    List<DefinitionInfo> all() {
        return database.reading(connection -> database.query("workflows/definitions")
                .list(
                        connection,
                        row -> DefinitionInfo.builder(
                                        row.getString("name"),
                                        row.getString("version"),
                                        row.getString("signature"),
                                        Lifecycle.stored(row.getString("lifecycle")),
                                        Rows.instant(row, "first_seen"))
                                .steps(RunReader.texts(row.getArray("steps")))
                                .live(row.getBoolean("live"))
                                .paused(row.getBoolean("paused"))
                                .build()));
    }

    Optional<Definition> resolve(String workflow, @Nullable String version) {
        return database.reading(connection -> database.query("workflows/resolve")
                .with(p -> p.text(workflow).text(version).text(version))
                .first(connection, PublishedDefinitions::definition));
    }

    Optional<Definition> resolveInsteadOf(String workflow, String version) {
        return database.reading(connection -> database.query("workflows/resolve_instead_of")
                .with(p -> p.text(workflow).text(workflow).text(version))
                .first(connection, PublishedDefinitions::definition));
    }

    private static Definition definition(ResultSet row) throws SQLException {
        return new Definition(
                row.getString("name"),
                row.getString("version"),
                row.getString("signature"),
                Lifecycle.stored(row.getString("lifecycle")),
                RunReader.texts(row.getArray("steps")),
                new JobOptions(
                        row.getString("queue"),
                        row.getString("capability"),
                        Priority.ofLevel(row.getInt("priority")),
                        null,
                        row.getInt("max_crashes"),
                        null));
    }
}
