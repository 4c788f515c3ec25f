package dev.muster.attempt;

/**
 * Args that are ready for the handler. A handler with this type as its {@code argsType} gets them as they are, not bound to any type.
 *
 * @param json the args
 * @param sealed whether they, or a part of them, are stored in an envelope; then no error may quote them
 */
public record OpenArgs(String json, boolean sealed) {}
