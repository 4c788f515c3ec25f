package dev.muster.config;

import dev.muster.runtime.InvalidName;
import dev.muster.runtime.NamePatterns;
import java.util.ArrayList;
import java.util.List;

/** Patterns of names, which may be none; as text, separated by commas. */
record PatternsType() implements ValueType<NamePatterns> {

    @Override
    public NamePatterns parse(Object raw) throws BadValue {
        List<String> patterns = new ArrayList<>();
        for (Object item : NamesType.items(raw)) {
            if (!(item instanceof String text)) {
                throw new BadValue("lists " + item + ", which is not text");
            }
            patterns.add(text.strip());
        }
        try {
            return NamePatterns.of(patterns);
        } catch (InvalidName invalid) {
            throw new BadValue("is refused: " + invalid.getMessage());
        }
    }

    @Override
    public String show(NamePatterns value) {
        return String.join(",", value.texts());
    }

    @Override
    public String allowed() {
        return "a list of patterns of names, such as [\"send_mail\", \"report_*\"], or send_mail,report_* as text";
    }
}
