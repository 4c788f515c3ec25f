/**
 * The ports between the engine and a store: what a database must be able to do with jobs, claims and queues. Users of Muster do not
 * need this package.
 */
@NullMarked
package dev.muster.job.store;

import org.jspecify.annotations.NullMarked;
