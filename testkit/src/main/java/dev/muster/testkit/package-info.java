/**
 * What users test with: a real PostgreSQL without installing one, a database of its own for every test in
 * milliseconds, and the queue to look at directly.
 */
@NullMarked
package dev.muster.testkit;

import org.jspecify.annotations.NullMarked;
