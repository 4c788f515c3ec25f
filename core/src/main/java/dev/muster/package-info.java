/**
 * Muster: background jobs on nothing but PostgreSQL. Start at {@link dev.muster.Muster}.
 *
 * <p>This package assembles a node from the packages below it:
 *
 * <pre>
 *   Muster                 the entry point of a program; delegates to the parts below
 *   ├─ NodeResources       what the builder was given, defaults for the rest, and the open {@link dev.muster.Store}
 *   ├─ AfterBuild          jobs, locks and so on for handlers that are created before the Muster
 *   ├─ ClientApi           jobs, queues, locks, and the APIs of the subsystems; they need no running node; observers only read
 *   ├─ Subsystems          the one list of subsystems: crons, daemons, upkeep, and those of other jars ({@link dev.muster.node})
 *   └─ Node                the life cycle of a node: starts, handles commands, drains, ends; reports its health
 *      ├─ NodeRegistration the node's row (dev.muster.cluster)
 *      ├─ LeaderRoles      elections, and the node's view of each leader role
 *      ├─ NodeParts        all parts in the order in which they start
 *      │  ├─ JobEngine     the worker and recovery
 *      │  └─ …             the parts of each subsystem
 *      └─ HttpPorts        the HTTP ports: health, and the {@link dev.muster.Gateway} if its module is there
 * </pre>
 *
 * <p>A node joins before it does anything else, and becomes active when all of its parts run. When it stops, it first announces
 * that, then stops its parts in the reverse order, then gives up its leader roles, and removes its row last. So no other node has to
 * wait to find out.
 */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;
