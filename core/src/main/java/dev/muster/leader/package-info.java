/**
 * Leader election: at most one node at a time does the work of a role. A write that is made {@linkplain dev.muster.leader.Leadership#fenced in a
 * fenced transaction} commits only if its term was the current one when it was written.
 */
@NullMarked
package dev.muster.leader;

import org.jspecify.annotations.NullMarked;
