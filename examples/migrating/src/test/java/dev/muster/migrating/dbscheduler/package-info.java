/** db-scheduler beside Muster. */
@NullMarked
package dev.muster.migrating.dbscheduler;

import org.jspecify.annotations.NullMarked;
