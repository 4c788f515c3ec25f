/**
 * What other jars provide for a node, found with {@link java.util.ServiceLoader}: the {@link dev.muster.internal.provider.Store}, the gateway and the
 * port for forwarded calls. None of it is a promise to other vendors yet.
 */
@NullMarked
package dev.muster.internal.provider;

import org.jspecify.annotations.NullMarked;
