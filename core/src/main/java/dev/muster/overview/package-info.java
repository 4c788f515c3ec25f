/**
 * The cluster at a glance, and what in it needs somebody's attention: {@link dev.muster.overview.Overview} and its {@linkplain
 * dev.muster.overview.Finding findings}. Times are those of the database that people read.
 */
@NullMarked
package dev.muster.overview;

import org.jspecify.annotations.NullMarked;
