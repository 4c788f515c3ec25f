package dev.muster.config;

import java.util.List;
import java.util.stream.Collectors;

/** A program with its arguments; as text, split at blanks. */
record CommandType() implements ValueType<List<String>> {

    @Override
    public List<String> parse(Object raw) throws BadValue {
        List<?> words = words(raw);
        for (Object word : words) {
            if (!(word instanceof String text)) {
                throw new BadValue("lists " + word + ", which is not text; write it in quotes");
            }
            if (text.indexOf('\0') >= 0) {
                throw new BadValue("holds a zero character");
            }
        }
        List<String> command = words.stream().map(String.class::cast).toList();
        if (!command.isEmpty() && command.get(0).isBlank()) {
            throw new BadValue("begins with an empty text instead of a program");
        }
        return command;
    }

    private static List<?> words(Object raw) throws BadValue {
        if (raw instanceof List<?> list) {
            return list;
        }
        if (!(raw instanceof String text)) {
            throw new BadValue("is not a list");
        }
        if (text.indexOf('"') >= 0 || text.indexOf('\'') >= 0) {
            throw new BadValue(
                    "has a quotation mark, but as text it is only split at blanks; write a list in muster.toml");
        }
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }

    /** Puts words with blanks, and empty ones, in quotes. */
    @Override
    public String show(List<String> value) {
        return value.stream()
                .map(word -> word.isEmpty() || word.chars().anyMatch(Character::isWhitespace) ? "'" + word + "'" : word)
                .collect(Collectors.joining(" "));
    }

    @Override
    public String allowed() {
        return "a program and its arguments, such as [\"python3\", \"worker.py\"], or python3 worker.py as text";
    }
}
