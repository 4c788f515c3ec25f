/** What the feed of live events reads. Nothing here writes. */
@NullMarked
package dev.muster.postgres.events;

import org.jspecify.annotations.NullMarked;
