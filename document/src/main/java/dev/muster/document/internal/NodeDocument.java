package dev.muster.document.internal;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.NodeRole;
import dev.muster.job.JobId;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of the cluster.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class NodeDocument {
    private NodeDocument() {}

    public static Map<String, @Nullable Object> write(NodeInfo node) {
        return new JsonObjectWriter()
                .put("id", node.id())
                .put("incarnation", node.incarnation().toString())
                .put("name", node.name())
                .put("version", node.version())
                .put("status", node.status().text())
                .put("apparent_status", node.apparentStatus().text())
                .put("address", node.address())
                .put("roles", JsonObjectWriter.list(node.roles(), NodeRole::text))
                .put("queues", node.queues())
                .put("capabilities", node.capabilities())
                .put("labels", node.labels())
                .put("handlers", node.handlers())
                .put("functions", JsonObjectWriter.list(node.functions(), FunctionDocument::write))
                .put("unrouted", node.unrouted())
                .put("executors", JsonObjectWriter.list(node.executors(), NodeDocument::executor))
                .put("current_connections", node.currentConnections())
                .put("current_jobs", node.currentJobs())
                .put("cpu_usage", node.cpuUsage())
                .put("memory_usage", node.memoryUsage())
                .put("started_at", node.startedAt())
                .put("last_heartbeat", node.lastHeartbeat())
                .put("heartbeat_age_ms", node.heartbeatAge().toMillis())
                .put("heartbeat_interval_ms", node.heartbeatInterval().toMillis())
                .done();
    }

    private static Map<String, @Nullable Object> executor(ExecutorInfo executor) {
        Map<String, @Nullable Object> slots = slots(executor);
        slots.put("kind", executor.kind());
        return slots;
    }

    /** An executor without its kind. */
    public static Map<String, @Nullable Object> slots(ExecutorInfo executor) {
        return new JsonObjectWriter()
                .put("name", executor.name())
                .put("size", executor.size())
                .put("running", executor.running())
                .put("stuck", executor.stuck())
                .done();
    }

    public static NodeInfo read(JsonObjectReader fields) {
        return new NodeInfo(
                fields.text("id"),
                fields.parsed("incarnation", NodeDocument::uuid),
                fields.optionalText("name"),
                fields.parsed("status", NodeStatus::stored),
                fields.parsed("apparent_status", NodeStatus::stored),
                roles(fields),
                fields.optionalText("address"),
                fields.instant("started_at"),
                fields.instant("last_heartbeat"),
                Duration.ofMillis(fields.longNumber("heartbeat_age_ms")),
                Duration.ofMillis(fields.longNumber("heartbeat_interval_ms")),
                fields.has("queues") ? Optional.of(fields.texts("queues")) : Optional.empty(),
                fields.texts("capabilities"),
                Collections.unmodifiableMap(new LinkedHashMap<>(fields.textsByName("labels"))),
                fields.texts("handlers"),
                fields.list("functions").stream().map(FunctionDocument::read).toList(),
                fields.list("executors").stream()
                        .map(NodeDocument::readExecutor)
                        .toList(),
                fields.texts("unrouted"),
                fields.integer("current_connections"),
                fields.integer("current_jobs"),
                fields.decimal("cpu_usage"),
                fields.longNumber("memory_usage"),
                fields.optionalText("version"));
    }

    private static Set<NodeRole> roles(JsonObjectReader fields) {
        Set<NodeRole> roles = EnumSet.noneOf(NodeRole.class);
        fields.texts("roles").forEach(role -> NodeRole.find(role).ifPresent(roles::add));
        return Collections.unmodifiableSet(roles);
    }

    private static UUID uuid(String text) {
        return JobId.of(text).value();
    }

    private static ExecutorInfo readExecutor(JsonObjectReader fields) {
        return new ExecutorInfo(
                fields.text("name"),
                fields.text("kind"),
                fields.integer("size"),
                fields.integer("running"),
                fields.integer("stuck"));
    }
}
