package dev.muster.access;

/**
 * A key that was just created.
 *
 * @param key the text that callers send; nobody can read it again
 */
public record CreatedKey(ApiKeyInfo info, String key) {

    /** Without the key's text, which must not get into logs. */
    @Override
    public String toString() {
        return "CreatedKey[info=" + info + "]";
    }
}
