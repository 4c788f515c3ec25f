/**
 * Wake-ups between nodes by LISTEN and NOTIFY.
 */
@NullMarked
package dev.muster.postgres.wakeup;

import org.jspecify.annotations.NullMarked;
