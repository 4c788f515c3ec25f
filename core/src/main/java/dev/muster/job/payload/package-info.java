/**
 * Args and results as they are stored: in plain JSON, or encrypted by a {@link dev.muster.job.payload.PayloadCipher}.
 */
@NullMarked
package dev.muster.job.payload;

import org.jspecify.annotations.NullMarked;
