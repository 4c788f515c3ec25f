/**
 * Keeps the cluster in order: silent nodes are marked, their claims and those whose lease ran out go to others, jobs that
 * nobody claimed in time end, jobs that wait are freed.
 *
 * <p>The scheduler leader does it, {@linkplain dev.muster.leader.Leadership#fenced fenced}. While nobody leads, every node
 * does: the statements are guarded, so that two who do the same do it once. A node first asks with one statement what there
 * is to do, and opens a transaction only for that; it asks again when the first node could be overdue. So an idle cluster is
 * cheap to watch, and a silent node is found when it is due and not a tick later.
 */
@NullMarked
package dev.muster.recovery;

import org.jspecify.annotations.NullMarked;
