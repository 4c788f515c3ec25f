/**
 * Who may do what: API keys and their scopes, callers, and the audit of what operators did.
 *
 * <p>A key never becomes live again once it has expired or was revoked. Its text is returned once, by the call that creates it, and stored nowhere.
 */
@NullMarked
package dev.muster.access;

import org.jspecify.annotations.NullMarked;
