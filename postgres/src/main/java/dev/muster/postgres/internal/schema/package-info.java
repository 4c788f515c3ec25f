/**
 * Creates and upgrades the tables, and says which rights a role needs on them.
 */
@NullMarked
package dev.muster.postgres.internal.schema;

import org.jspecify.annotations.NullMarked;
