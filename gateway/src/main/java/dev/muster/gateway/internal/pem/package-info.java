/**
 * Keys and certificates in PEM files, for TLS and for tokens. What cannot be used is an {@link dev.muster.gateway.internal.pem.UnusableKeys} with a
 * sentence that says what to do; no message shows what is in a file.
 */
@NullMarked
package dev.muster.gateway.internal.pem;

import org.jspecify.annotations.NullMarked;
