package dev.muster.cli.internal.console;

import dev.muster.document.internal.Json;
import java.io.PrintWriter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Prints entries as they come: as lines of text, or as one growing JSON array. */
public final class Listing implements AutoCloseable {
    private final PrintWriter out;
    private final boolean json;
    private int size;

    Listing(PrintWriter out, boolean json) {
        this.out = out;
        this.json = json;
    }

    public void add(Supplier<? extends @Nullable Object> document, Supplier<String> text) {
        if (json) {
            out.print((size == 0 ? "[\n  " : ",\n  ") + Json.write(document.get()));
            out.flush();
        } else {
            out.println(text.get());
        }
        size++;
    }

    public int size() {
        return size;
    }

    /** False once the reader of standard output has closed it, as {@code head} does. */
    public boolean isRead() {
        return !out.checkError();
    }

    @Override
    public void close() {
        if (json) {
            out.println(size == 0 ? "[]" : "\n]");
        }
        out.flush();
    }
}
