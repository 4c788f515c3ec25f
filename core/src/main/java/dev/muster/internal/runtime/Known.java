package dev.muster.internal.runtime;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Reads texts that another node may have written, and that node may be newer: a text that this version does not know becomes the constant
 * for unknown ones. Nothing may throw for it, because one such row would then break the list of all; and nothing may decide by it, because
 * its meaning is a guess: see "Texts that a newer Muster has written" in docs/easy-to-get-wrong.md.
 */
public final class Known {
    private Known() {}

    /** The constant with this text; {@code unknown} if there is none. */
    public static <E> E read(E[] values, Function<E, String> text, String stored, E unknown) {
        return Arrays.stream(values)
                .filter(value -> text.apply(value).equals(stored))
                .findFirst()
                .orElse(unknown);
    }

    /** All but {@code unknown}: what people can choose or ask for. */
    public static <E> List<E> allBut(E unknown, E[] values) {
        return Arrays.stream(values).filter(value -> value != unknown).toList();
    }
}
