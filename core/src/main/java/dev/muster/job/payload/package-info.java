/** Args and results that are encrypted before they are stored: {@link dev.muster.job.payload.PayloadCipher}. */
@NullMarked
package dev.muster.job.payload;

import org.jspecify.annotations.NullMarked;
