/** What the feed of live events reads. Nothing here writes. */
@NullMarked
package dev.muster.postgres.internal.events;

import org.jspecify.annotations.NullMarked;
