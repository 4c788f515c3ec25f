/**
 * Tells other nodes by NOTIFY of lanes that have new work, at most once per lane and 20 ms, and hears of theirs by LISTEN on the control
 * connection.
 */
@NullMarked
package dev.muster.postgres.internal.wakeup;

import org.jspecify.annotations.NullMarked;
