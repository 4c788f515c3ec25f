/**
 * A subsystem that exists only in tests, to show what one consists of: its annotation ({@link dev.muster.beacon.Beacon}), its API
 * ({@link dev.muster.beacon.Beacons}), its part of a node, its store and its command. The rest of Muster learns of it from three
 * files in {@code META-INF/services}.
 */
@NullMarked
package dev.muster.beacon;

import org.jspecify.annotations.NullMarked;
