package dev.muster.config;

import dev.muster.config.RoutingConfig.Rule;
import dev.muster.internal.config.Nearest;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.NamePattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Routing rules in their order: tables with the keys match and executor; as text, {@code pattern=executor} separated by commas. */
record RulesType() implements ValueType<List<Rule>> {
    private static final String MATCH = "match";
    private static final String EXECUTOR = "executor";
    private static final List<String> KEYS = List.of(MATCH, EXECUTOR);
    private static final ExecutorNameType EXECUTOR_NAME = new ExecutorNameType();

    @Override
    public List<Rule> parse(Object raw) throws BadValue {
        List<?> entries = entries(raw);
        List<Rule> rules = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            try {
                rules.add(rule(entries.get(i)));
            } catch (BadValue bad) {
                problems.add("has a rule, number " + (i + 1) + ", " + bad.reason());
            }
        }
        if (!problems.isEmpty()) {
            throw new BadValue(String.join("; it ", problems));
        }
        return List.copyOf(rules);
    }

    private static List<?> entries(Object raw) throws BadValue {
        if (raw instanceof List<?> list) {
            return list;
        }
        if (raw instanceof String text) {
            return text.isBlank() ? List.of() : List.of(text.split(",", -1));
        }
        throw new BadValue("is not a list of rules");
    }

    private static Rule rule(Object entry) throws BadValue {
        Map<?, ?> parts = parts(entry);
        for (Object key : parts.keySet()) {
            if (!KEYS.contains(key)) {
                throw new BadValue("with the unknown key '" + key + "'; "
                        + Nearest.to(String.valueOf(key), KEYS).hint(found -> "'" + found + "'"));
            }
        }
        for (String key : KEYS) {
            if (!parts.containsKey(key)) {
                throw new BadValue("without the key '" + key + "'");
            }
        }
        return new Rule(pattern(parts.get(MATCH)), executor(parts.get(EXECUTOR)));
    }

    private static Map<?, ?> parts(Object entry) throws BadValue {
        if (entry instanceof Map<?, ?> table) {
            return table;
        }
        // In a file a rule may be text too: rules = ["ml::*=gpu"]
        int equals = entry instanceof String text ? text.indexOf('=') : -1;
        if (equals < 0) {
            throw new BadValue("that is not pattern=executor");
        }
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put(MATCH, ((String) entry).substring(0, equals));
        parts.put(EXECUTOR, ((String) entry).substring(equals + 1));
        return parts;
    }

    private static NamePattern pattern(Object raw) throws BadValue {
        if (!(raw instanceof String text)) {
            throw new BadValue("whose pattern " + Secrets.quote(raw) + " is not text");
        }
        try {
            return NamePattern.of(text.strip());
        } catch (InvalidName invalid) {
            throw new BadValue("that is refused: " + invalid.getMessage());
        }
    }

    private static String executor(Object raw) throws BadValue {
        try {
            return EXECUTOR_NAME.parse(raw);
        } catch (BadValue bad) {
            throw new BadValue("whose executor " + Secrets.quote(raw) + " " + bad.reason());
        }
    }

    @Override
    public String show(List<Rule> value) {
        return value.stream().map(Rule::toString).collect(Collectors.joining(","));
    }

    @Override
    public String allowed() {
        return "[[routing.rules]] with match = \"ml::*\" and executor = \"gpu\", or ml::*=gpu,heavy_*=big as text";
    }
}
