/**
 * Muster: background jobs on nothing but PostgreSQL. Start at {@link dev.muster.Muster}.
 *
 * <p>This package puts a node together from the parts in the packages below it:
 *
 * <pre>
 *   Muster            what a program holds: hands everything on
 *   ├─ Foundation     what the builder was given, and an answer to what it left open; the open {@link dev.muster.Store}
 *   ├─ AfterBuild     stands in for jobs, locks and the like where handlers are made before the Muster is
 *   ├─ Access         jobs, queues, crons, daemons, locks: works without a running node; an observer may only look
 *   └─ Node           a node's life: starts, obeys, drains, ends; says how it is doing
 *      ├─ Membership  its row (dev.muster.cluster)
 *      ├─ Work        the jobs and daemons that it runs
 *      ├─ Duties      what it does for the cluster: elections, recovery, crons, upkeep
 *      └─ Gateway     the ports at which it answers
 * </pre>
 *
 * <p>Starting and ending have an order, which is written down in Node alone. A node joins before it does anything, and
 * shows itself as active when all of it runs. When it ends, it says so first, then ends its work, then its duties, then
 * its leaderships, and leaves last: so nobody has to find out by waiting.
 */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;
