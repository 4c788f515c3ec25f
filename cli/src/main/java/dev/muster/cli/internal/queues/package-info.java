/** {@code muster queues}: list, pause, resume and limit queues. */
@NullMarked
package dev.muster.cli.internal.queues;

import org.jspecify.annotations.NullMarked;
