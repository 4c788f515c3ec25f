package dev.muster.config;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The {@code [node]} section: who this node is and what it runs.
 *
 * @param id id in the cluster; if absent, the host name and a random part, new at every start. Default: auto
 * @param name display name. Default: none
 * @param mode a preset of roles. Default: auto
 * @param roles what the node does; if absent, the mode decides, see {@link #effectiveRoles}. Default: absent
 * @param queues queues that this node serves, at least one; if absent, all queues. Default: absent
 * @param capabilities what this node can do; it runs jobs that need one of these or none. Default: general
 * @param labels keys and values that jobs can ask for, and for display, in the order given. Default: empty
 * @param advertise address at which others reach this node. A node that runs functions listens there for calls that gateways forward, if it is
 *     a host and a port. Default: none
 */
public record NodeConfig(
        Optional<String> id,
        Optional<String> name,
        Mode mode,
        Optional<List<NodeRole>> roles,
        Optional<List<String>> queues,
        List<String> capabilities,
        Map<String, String> labels,
        Optional<String> advertise) {

    static final Section SECTION = new Section("node");

    static final Setting<Optional<String>> ID =
            SECTION.automatic("id", ValueType.nodeId(), "id in the cluster; auto is the host name and a random part");
    static final Setting<Optional<String>> NAME = SECTION.optional("name", ValueType.text(), "display name");
    static final Setting<Mode> MODE = SECTION.setting(
            "mode",
            ValueType.choice(Mode.class),
            "auto",
            "preset of roles: auto (all), leader (must lead, runs no jobs), worker (jobs, daemons), observer (only reads)");
    static final Setting<Optional<List<NodeRole>>> ROLES = SECTION.optional(
            "roles",
            ValueType.choices(NodeRole.class, "to let node.mode decide"),
            "what this node does; when left out, node.mode decides");
    static final Setting<Optional<List<String>>> QUEUES = SECTION.optional(
            "queues",
            ValueType.someNames("queue", "to serve all queues"),
            "queues that this node serves; all when left out");
    static final Setting<List<String>> CAPABILITIES = SECTION.setting(
            "capabilities",
            ValueType.names("capability"),
            "general",
            "what this node can do; it runs jobs that need one of these or none");
    static final Setting<Map<String, String>> LABELS =
            SECTION.setting("labels", ValueType.labels(), "", "keys and values that jobs can ask for, and for display");
    static final Setting<Optional<String>> ADVERTISE = SECTION.optional(
            "advertise",
            ValueType.text(),
            "host:port at which others reach this node; a node that runs functions takes their calls there");

    public NodeConfig {
        roles = roles.map(List::copyOf);
        queues = queues.map(List::copyOf);
        capabilities = List.copyOf(capabilities);
        labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    }

    static NodeConfig from(Values values) {
        return new NodeConfig(
                values.get(ID),
                values.get(NAME),
                values.get(MODE),
                values.get(ROLES),
                values.get(QUEUES),
                values.get(CAPABILITIES),
                values.get(LABELS),
                values.get(ADVERTISE));
    }

    /** What the node does: the listed roles or, without a list, those of its mode. */
    public Set<NodeRole> effectiveRoles() {
        return Collections.unmodifiableSet(
                roles.<Set<NodeRole>>map(EnumSet::copyOf).orElseGet(mode::roles));
    }

    public boolean has(NodeRole role) {
        return effectiveRoles().contains(role);
    }

    /** Whether this node is an observer, through which nothing may be written. */
    public boolean observes() {
        return mode == Mode.OBSERVER;
    }

    /** A preset of roles. */
    public enum Mode {
        /** All roles. */
        AUTO,
        /** The node leads and answers HTTP, but runs no jobs. It does not start if it cannot lead. */
        LEADER,
        /** The node only runs jobs: it opens no public port and never leads. */
        WORKER,
        /** The node answers HTTP and writes nothing. */
        OBSERVER;

        /** The roles of this preset. */
        public Set<NodeRole> roles() {
            return switch (this) {
                case AUTO -> EnumSet.allOf(NodeRole.class);
                case LEADER -> EnumSet.of(NodeRole.GATEWAY, NodeRole.FUNCTION, NodeRole.SCHEDULER);
                case WORKER -> EnumSet.of(NodeRole.WORKER);
                case OBSERVER -> EnumSet.of(NodeRole.GATEWAY);
            };
        }
    }
}
