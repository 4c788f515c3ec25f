package dev.muster.function;

/** The context of a query. Its {@link #connection} has a read-only transaction, which refuses writes. */
public interface QueryContext extends FunctionContext {}
