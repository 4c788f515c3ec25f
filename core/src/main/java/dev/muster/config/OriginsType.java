package dev.muster.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** A list of web origins, which may be empty; as text, separated by commas. */
record OriginsType() implements ValueType<List<String>> {
    private static final Pattern ORIGIN = Pattern.compile("https?://[a-z0-9.-]+(:\\d{1,5})?");

    @Override
    public List<String> parse(Object raw) throws BadValue {
        Set<String> origins = new LinkedHashSet<>();
        for (Object item : NamesType.items(raw)) {
            String origin = String.valueOf(item).strip();
            if (!ORIGIN.matcher(origin).matches()) {
                throw new BadValue("lists '" + origin + "', which is no origin; an origin has no path and no '*'");
            }
            origins.add(origin);
        }
        return List.copyOf(origins);
    }

    @Override
    public String show(List<String> value) {
        return String.join(",", value);
    }

    @Override
    public String allowed() {
        return "a list of origins, such as [\"https://ops.example.com\"], or the same as text, separated by commas";
    }
}
