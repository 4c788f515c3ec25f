/**
 * Muster: background jobs on nothing but PostgreSQL. Start at {@link dev.muster.Muster}.
 *
 * <p>This package puts a node together from the parts in the packages below it:
 *
 * <pre>
 *   Muster            the entry point of a program; delegates to the parts below
 *   ├─ Foundation     what the builder was given, defaults for the rest, and the open {@link dev.muster.Store}
 *   ├─ AfterBuild     jobs, locks and so on for handlers that are created before the Muster
 *   ├─ Access         the client APIs: jobs, queues, crons, daemons, locks; they need no running node; observers only read
 *   └─ Node           the life of a node: starts, handles commands, drains, ends; reports its health
 *      ├─ Membership  its row (dev.muster.cluster)
 *      ├─ Work        the jobs and daemons that it runs
 *      ├─ Duties      the services of the leader: elections, recovery, crons, upkeep
 *      └─ Gateway     the ports at which it listens
 * </pre>
 *
 * <p>Node alone defines the order of starting and stopping. A node joins before it does anything else, and becomes active
 * when all of its parts run. When it stops, it announces that first, then stops its work, then its duties, then gives up its
 * leaderships, and removes its row last. So no other node has to wait to find out.
 */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;
