/** Quartz beside Muster. */
@NullMarked
package dev.muster.migrating.quartz;

import org.jspecify.annotations.NullMarked;
