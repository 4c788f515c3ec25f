package dev.muster.config;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A value that may be absent.
 *
 * @param word the text that means absent, such as "auto"; null if only leaving the key out means that
 */
record OptionalType<T>(ValueType<T> type, @Nullable String word) implements ValueType<Optional<T>> {

    @Override
    public Optional<T> parse(Object raw) throws BadValue {
        if (raw instanceof String text && text.equals(word)) {
            return Optional.empty();
        }
        return Optional.of(type.parse(raw));
    }

    @Override
    public String show(Optional<T> value) {
        return value.map(type::show).orElse(word == null ? "" : word);
    }

    @Override
    public String allowed() {
        return word == null || word.isEmpty() ? type.allowed() : word + ", or " + type.allowed();
    }
}
