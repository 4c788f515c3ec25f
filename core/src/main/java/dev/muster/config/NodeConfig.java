package dev.muster.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code [node]} section: who this node is and what it takes.
 *
 * @param id identity in the cluster; absent: host name and a random part, new at every start. Default: auto
 * @param name name for people. Default: none
 * @param queues queues this node serves, at least one; absent: all queues. Default: absent
 * @param capabilities what this node can do; it runs jobs that ask for one of these or for none. Default: general
 * @param labels keys and values for people and placement, in the order given. Default: empty
 */
public record NodeConfig(
        Optional<String> id,
        Optional<String> name,
        Optional<List<String>> queues,
        List<String> capabilities,
        Map<String, String> labels) {

    static final Section SECTION = new Section("node");

    static final Setting<Optional<String>> ID = SECTION.automatic(
            "id", ValueType.text(), "identity in the cluster; auto is the host name and a random part");
    static final Setting<Optional<String>> NAME = SECTION.optional("name", ValueType.text(), "name for people");
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
            SECTION.setting("labels", ValueType.labels(), "", "keys and values for people and placement");

    public NodeConfig {
        queues = queues.map(List::copyOf);
        capabilities = List.copyOf(capabilities);
        labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    }

    static NodeConfig from(Values values) {
        return new NodeConfig(
                values.get(ID), values.get(NAME), values.get(QUEUES), values.get(CAPABILITIES), values.get(LABELS));
    }
}
