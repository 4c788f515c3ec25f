package dev.muster.spring;

import dev.muster.MusterBuilder;

/**
 * A bean of this type changes the builder of the application's Muster, after the starter has set everything that it knows, and before the
 * Muster is built.
 */
@FunctionalInterface
public interface MusterCustomizer {

    void customize(MusterBuilder builder);
}
