/**
 * Who may do what: callers and their scopes, API keys, and the audit of what operators did. The gateway asks here before it does
 * anything for a caller.
 */
@NullMarked
package dev.muster.access;

import org.jspecify.annotations.NullMarked;
