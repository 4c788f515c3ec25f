/**
 * The cluster at a glance, and what in it needs somebody's attention.
 *
 * <pre>
 *   OverviewReader ── reads once ──▶ ClusterReading ── each Check looks at it ──▶ Finding, the worst first
 * </pre>
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>A {@link dev.muster.internal.overview.Check} asks one question. It reads nothing itself: everything that checks need is in
 *       {@link dev.muster.internal.overview.ClusterReading}, so that they can be tested without a database, and their number costs no statements.
 *   <li>A finding says what is wrong, since when, and what to do.
 *   <li>Every statement is bounded, and ends after a quarter of a second. What could not be read in that time is missing, and
 *       there is a finding that says so.
 *   <li>Times are those of the database that people read.
 * </ul>
 *
 * <p>To add a check: a class that implements {@code Check}, its entry in {@link dev.muster.internal.overview.Checks#ALL}, a test in {@code ChecksTest}.
 */
@NullMarked
package dev.muster.internal.overview;

import org.jspecify.annotations.NullMarked;
