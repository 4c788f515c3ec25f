/** {@code muster workflows}: list, show, start, signal, cancel, retry, retire, pause and resume. */
@NullMarked
package dev.muster.cli.internal.workflows;

import org.jspecify.annotations.NullMarked;
