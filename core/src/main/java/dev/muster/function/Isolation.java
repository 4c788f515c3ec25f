package dev.muster.function;

/** The isolation level of a mutation's transaction. */
public enum Isolation {
    /** Each statement sees what was committed before it. */
    READ_COMMITTED,
    /** All statements see what was committed before the first one. */
    REPEATABLE_READ,
    /** As if all such transactions ran one after the other. */
    SERIALIZABLE
}
