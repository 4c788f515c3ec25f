/** {@code muster node} and {@code muster dev}: a node in this process, and the applications it loads. */
@NullMarked
package dev.muster.cli.internal.node;

import org.jspecify.annotations.NullMarked;
