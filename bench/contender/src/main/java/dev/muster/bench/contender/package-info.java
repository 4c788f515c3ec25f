/**
 * What the bench and a system that it measures know of each other.
 *
 * <p>Peers are loaded with a class path of their own; these types, the JDK's and nothing else are shared with them.
 */
@NullMarked
package dev.muster.bench.contender;

import org.jspecify.annotations.NullMarked;
