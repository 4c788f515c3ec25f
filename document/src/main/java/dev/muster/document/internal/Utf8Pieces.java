package dev.muster.document.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A text in UTF-8 that may be large. It is kept in pieces: in one piece it would have to be copied whenever it outgrows its room, and a node
 * with little memory has no room for several copies of 16 MB.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class Utf8Pieces {
    private final List<byte[]> pieces = new ArrayList<>();
    private int length;

    /** These bytes, which are not copied. */
    public static Utf8Pieces of(byte[] bytes) {
        Utf8Pieces all = new Utf8Pieces();
        all.add(bytes);
        return all;
    }

    public static Utf8Pieces of(String text) {
        Utf8Pieces all = new Utf8Pieces();
        all.add(text);
        return all;
    }

    /** @param text does not end between the two halves of a pair */
    void add(String text) {
        add(text.getBytes(StandardCharsets.UTF_8));
    }

    private void add(byte[] piece) {
        length = Math.addExact(length, piece.length);
        pieces.add(piece);
    }

    /** How many bytes there are. */
    public int length() {
        return length;
    }

    public void writeTo(OutputStream out) throws IOException {
        for (byte[] piece : pieces) {
            out.write(piece);
        }
    }
}
