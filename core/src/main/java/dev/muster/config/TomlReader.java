package dev.muster.config;

import java.util.Map;

/** Reads TOML text; found by {@link java.util.ServiceLoader}. The artefact {@code muster-toml} has one. */
public interface TomlReader {

    /**
     * The text as nested maps, in the order it is written: Strings, Numbers, Booleans, Lists and Maps by name.
     *
     * @throws Malformed if it is not TOML
     */
    Map<String, Object> read(String text) throws Malformed;

    /** Text that is not TOML. */
    final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        private final int line;
        private final int column;

        /**
         * @param reason what is wrong, in one line
         * @param line counted from 1; 0 if it is not known
         * @param column counted from 1; 0 if it is not known
         */
        public Malformed(String reason, int line, int column) {
            super(reason);
            this.line = line;
            this.column = column;
        }

        String position() {
            return line < 1 ? "" : ", line " + line + ", column " + column + ",";
        }
    }
}
