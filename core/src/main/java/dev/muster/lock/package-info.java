/**
 * Named locks that expire. Of two holders of one lock the later one has the higher {@linkplain dev.muster.lock.HeldLock#fence fence}; a store that
 * remembers the highest can refuse a holder that froze and woke up after its lock had expired.
 */
@NullMarked
package dev.muster.lock;

import org.jspecify.annotations.NullMarked;
