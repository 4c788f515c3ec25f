/** {@code muster queues}: look at queues, pause them, let them run again. */
@NullMarked
package dev.muster.cli.queues;

import org.jspecify.annotations.NullMarked;
