package dev.muster.internal.config;

import java.util.Map;

/** Reads TOML text. Muster finds it with {@link java.util.ServiceLoader}; the artefact {@code muster-toml} contains one. */
public interface TomlReader {

    /**
     * Returns the text as nested maps from names to Strings, Numbers, Booleans, Lists and Maps, in the order of the text.
     *
     * @throws Malformed if the text is not TOML
     */
    Map<String, Object> read(String text) throws Malformed;

    /** Text that is not TOML. */
    final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        private final int line;
        private final int column;

        /**
         * @param reason what is wrong, in one line
         * @param line counted from 1; 0 if not known
         * @param column counted from 1; 0 if not known
         */
        public Malformed(String reason, int line, int column) {
            super(reason);
            this.line = line;
            this.column = column;
        }

        public String position() {
            return line < 1 ? "" : ", line " + line + ", column " + column + ",";
        }
    }
}
