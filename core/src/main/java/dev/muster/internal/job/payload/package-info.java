/**
 * Args and results as they are stored: in plain JSON, or encrypted by a {@link dev.muster.job.payload.PayloadCipher}.
 *
 * <pre>
 *   text ──▶ {@link dev.muster.internal.runtime.StorableJson} ──▶ {@link dev.muster.internal.job.payload.Payloads#seal sealed} ──▶ stored ──▶ muster_text ──▶ opened
 *    └─ number, levels, character or size: refused                                   └─ {@link dev.muster.internal.job.payload.TooLarge}: not read
 * </pre>
 *
 * <ul>
 *   <li>What is stored does not grow when it is read: a text is checked once, where it comes in, and nothing that was not checked can be sealed.
 *   <li>What was stored before that, or by hand, is not trusted: the database says whether it can be read.
 * </ul>
 */
@NullMarked
package dev.muster.internal.job.payload;

import org.jspecify.annotations.NullMarked;
