/**
 * Puts jobs back to pending whose nodes are gone, ends jobs whose time is up, and remembers from where on to look for both.
 */
@NullMarked
package dev.muster.postgres.internal.recovery;

import org.jspecify.annotations.NullMarked;
