package dev.muster.gateway.internal.route;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a JSON value, as OpenAPI 3.0 writes it.
 *
 * @param name the name under which the document lists it once; empty for small ones, which are written where they are used
 * @param type the types that the value may have: string, integer, number, boolean, array, object, null; empty for any value
 * @param format such as date-time or uuid
 * @param values the only values that are allowed; empty for any
 * @param properties the members of an object
 * @param optional the members that may be left out
 * @param items of an array
 * @param others the values of members that are not listed; null if there are none
 * @param description a sentence, may be empty
 */
public record Schema(
        Optional<String> name,
        List<String> type,
        Optional<String> format,
        List<String> values,
        Map<String, Schema> properties,
        List<String> optional,
        Optional<Schema> items,
        Optional<Schema> others,
        String description) {

    private static Schema plain(String... types) {
        return new Schema(
                Optional.empty(),
                List.of(types),
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                "");
    }

    public static Schema text() {
        return plain("string");
    }

    /** A whole number of up to 64 bits. */
    public static Schema integer() {
        return plain("integer").format("int64");
    }

    public static Schema number() {
        return plain("number");
    }

    public static Schema flag() {
        return plain("boolean");
    }

    /** Any JSON value. */
    public static Schema any() {
        return plain();
    }

    public static Schema time() {
        return text().format("date-time");
    }

    public static Schema uuid() {
        return text().format("uuid");
    }

    /** A text such as 5s or 15m. */
    public static Schema duration() {
        return text().describe("such as 500ms, 30s, 15m, 2h or 7d");
    }

    public static Schema oneOf(List<String> values) {
        return new Schema(
                Optional.empty(),
                List.of("string"),
                Optional.empty(),
                List.copyOf(values),
                Map.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                "");
    }

    public static Schema list(Schema of) {
        return new Schema(
                Optional.empty(),
                List.of("array"),
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of(),
                Optional.of(of),
                Optional.empty(),
                "");
    }

    /** An object whose members have any names. */
    public static Schema map(Schema of) {
        return new Schema(
                Optional.empty(),
                List.of("object"),
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of(),
                Optional.empty(),
                Optional.of(of),
                "");
    }

    /** An object without members yet. */
    public static Schema object() {
        return plain("object");
    }

    /** An object that the document lists under this name. */
    public static Schema object(String name) {
        return object().named(name);
    }

    public Schema named(String as) {
        return new Schema(Optional.of(as), type, format, values, properties, optional, items, others, description);
    }

    public Schema format(String as) {
        return new Schema(name, type, Optional.of(as), values, properties, optional, items, others, description);
    }

    public Schema describe(String sentence) {
        return new Schema(name, type, format, values, properties, optional, items, others, sentence);
    }

    /** The value or null. */
    public Schema orNull() {
        if (type.isEmpty()) {
            return this;
        }
        List<String> more = new ArrayList<>(type);
        more.add("null");
        return new Schema(name, more, format, values, properties, optional, items, others, description);
    }

    /** Adds a member that is always there. */
    public Schema with(String member, Schema schema) {
        Map<String, Schema> more = new LinkedHashMap<>(properties);
        more.put(member, schema);
        return new Schema(name, type, format, values, more, optional, items, others, description);
    }

    /** Adds a member that may be left out. */
    public Schema may(String member, Schema schema) {
        List<String> more = new ArrayList<>(optional);
        more.add(member);
        Schema with = with(member, schema);
        return new Schema(name, type, format, values, with.properties, more, items, others, description);
    }

    /**
     * Adds members in short: {@code members("id:uuid node:text? tags:[text] limit:int~", …)}. A question mark means that the value may be
     * null, a tilde that the member may be left out.
     *
     * @param others the types that are not built in, by name
     */
    public Schema members(String inShort, Map<String, Schema> others) {
        Schema all = this;
        for (String member : inShort.strip().split("\\s+")) {
            int colon = member.indexOf(':');
            boolean mayMiss = member.endsWith("~");
            String type = member.substring(colon + 1, member.length() - (mayMiss ? 1 : 0));
            Schema schema = type(type, others);
            String name = member.substring(0, colon);
            all = mayMiss ? all.may(name, schema) : all.with(name, schema);
        }
        return all;
    }

    public Schema members(String inShort) {
        return members(inShort, Map.of());
    }

    private static Schema type(String inShort, Map<String, Schema> others) {
        if (inShort.endsWith("?")) {
            return type(inShort.substring(0, inShort.length() - 1), others).orNull();
        }
        if (inShort.startsWith("[")) {
            return list(type(inShort.substring(1, inShort.length() - 1), others));
        }
        return switch (inShort) {
            case "text" -> text();
            case "int" -> integer();
            case "number" -> number();
            case "flag" -> flag();
            case "time" -> time();
            case "uuid" -> uuid();
            case "duration" -> duration();
            case "any" -> any();
            case "texts" -> map(text());
            case "ints" -> map(integer());
            default -> {
                Schema other = others.get(inShort);
                if (other == null) {
                    throw new IllegalArgumentException("there is no type " + inShort);
                }
                yield other;
            }
        };
    }

    /** Whether the value may be null. */
    public boolean isNullable() {
        return type.contains("null");
    }

    /** This shape in an OpenAPI document, where it is used. */
    public Map<String, @Nullable Object> reference() {
        if (name.isPresent()) {
            Map<String, @Nullable Object> reference = Map.of("$ref", "#/components/schemas/" + name.get());
            return isNullable() ? Map.of("allOf", List.of(reference), "nullable", true) : reference;
        }
        Map<String, @Nullable Object> written = definition();
        if (isNullable()) {
            written.put("nullable", true);
        }
        return written;
    }

    /** This shape in full; whether it may be null is said where it is used. */
    public Map<String, @Nullable Object> definition() {
        Map<String, @Nullable Object> written = new LinkedHashMap<>();
        type.stream().filter(one -> !one.equals("null")).findFirst().ifPresent(one -> written.put("type", one));
        format.ifPresent(text -> written.put("format", text));
        if (!description.isEmpty()) {
            written.put("description", description);
        }
        if (!values.isEmpty()) {
            written.put("enum", values);
        }
        if (!properties.isEmpty()) {
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            properties.forEach((member, schema) -> members.put(member, schema.reference()));
            written.put("properties", members);
            List<String> required = properties.keySet().stream()
                    .filter(member -> !optional.contains(member))
                    .toList();
            if (!required.isEmpty()) {
                written.put("required", required);
            }
        }
        items.ifPresent(of -> written.put("items", of.reference()));
        others.ifPresent(of -> written.put("additionalProperties", of.reference()));
        return written;
    }
}
