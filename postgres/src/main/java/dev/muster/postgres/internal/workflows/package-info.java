/** Workflows in PostgreSQL: runs, their steps and events, and the outcomes of their drivers. */
@NullMarked
package dev.muster.postgres.internal.workflows;

import org.jspecify.annotations.NullMarked;
