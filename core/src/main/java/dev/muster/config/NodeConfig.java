package dev.muster.config;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The {@code [node]} section: who this node is and what it takes.
 *
 * @param id identity in the cluster; absent: host name and a random part, new at every start. Default: auto
 * @param name name for people. Default: none
 * @param mode a preset over roles. Default: auto
 * @param roles what the node does for the cluster; absent: what the mode says, see {@link #effectiveRoles}. Default: absent
 * @param queues queues this node serves, at least one; absent: all queues. Default: absent
 * @param capabilities what this node can do; it runs jobs that ask for one of these or for none. Default: general
 * @param labels keys and values for people, in the order given. Default: empty
 * @param advertise address at which other nodes reach this one. Default: none
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

    static final Setting<Optional<String>> ID = SECTION.automatic(
            "id", ValueType.nodeId(), "identity in the cluster; auto is the host name and a random part");
    static final Setting<Optional<String>> NAME = SECTION.optional("name", ValueType.text(), "name for people");
    static final Setting<Mode> MODE = SECTION.setting(
            "mode",
            ValueType.choice(Mode.class),
            "auto",
            "a preset: all roles, a leader that must lead, a worker alone, or an observer that writes nothing");
    static final Setting<Optional<List<NodeRole>>> ROLES = SECTION.optional(
            "roles",
            ValueType.choices(NodeRole.class, "to let node.mode decide"),
            "what this node does; as node.mode says when left out");
    static final Setting<Optional<List<String>>> QUEUES = SECTION.optional(
            "queues",
            ValueType.someNames("queue", "to serve all queues"),
            "queues this node serves; all when left out");
    static final Setting<List<String>> CAPABILITIES = SECTION.setting(
            "capabilities",
            ValueType.names("capability"),
            "general",
            "what this node can do; it runs jobs that ask for one of these or for none");
    static final Setting<Map<String, String>> LABELS =
            SECTION.setting("labels", ValueType.labels(), "", "keys and values for people");
    static final Setting<Optional<String>> ADVERTISE =
            SECTION.optional("advertise", ValueType.text(), "address at which other nodes reach this one");

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

    /** What the node does for the cluster: as listed, else as its mode says. */
    public Set<NodeRole> effectiveRoles() {
        return Collections.unmodifiableSet(
                roles.<Set<NodeRole>>map(EnumSet::copyOf).orElseGet(mode::roles));
    }

    public boolean has(NodeRole role) {
        return effectiveRoles().contains(role);
    }

    /** Whether nothing may be written through this node. */
    public boolean observes() {
        return mode == Mode.OBSERVER;
    }

    /** A preset over roles. */
    public enum Mode {
        /** All roles. */
        AUTO,
        /** Leads and answers, runs no jobs; does not start if it cannot lead. */
        LEADER,
        /** Runs jobs and nothing else: opens no public port and never leads. */
        WORKER,
        /** Answers and writes nothing. */
        OBSERVER;

        /** The roles that the preset stands for. */
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
