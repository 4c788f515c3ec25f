package dev.muster.config;

import dev.muster.runtime.Names.InvalidName;
import java.util.function.UnaryOperator;

/** Text with a check, which throws {@link InvalidName} or returns the text to keep. */
record TextType(String allowed, UnaryOperator<String> check) implements ValueType<String> {

    static TextType named(String allowed, UnaryOperator<String> check) {
        return new TextType(allowed, text -> check.apply(text.strip()));
    }

    static TextType line() {
        return new TextType("one line of text", String::strip);
    }

    static TextType verbatim() {
        return new TextType("text", text -> text);
    }

    @Override
    public String parse(Object raw) throws BadValue {
        if (!(raw instanceof String text)) {
            throw new BadValue("is not text; write it in quotes");
        }
        String kept;
        try {
            kept = check.apply(text);
        } catch (InvalidName invalid) {
            throw new BadValue("is refused: " + invalid.getMessage());
        }
        if (kept.isEmpty()) {
            throw new BadValue("is empty; give a value or leave it out");
        }
        if (kept.chars().anyMatch(Character::isISOControl)) {
            throw new BadValue("holds a line break or another control character");
        }
        return kept;
    }

    @Override
    public String show(String value) {
        return value;
    }
}
