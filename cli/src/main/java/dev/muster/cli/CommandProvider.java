package dev.muster.cli;

/** Adds a command to {@code muster}. Providers of other jars are found with {@link java.util.ServiceLoader}. */
public interface CommandProvider {

    /** An object whose class is annotated with picocli's {@code @Command}. */
    Object command();
}
