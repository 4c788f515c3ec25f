/** {@code muster queues}: list, pause and resume queues. */
@NullMarked
package dev.muster.cli.queues;

import org.jspecify.annotations.NullMarked;
