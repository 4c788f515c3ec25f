/**
 * Muster: background jobs on nothing but PostgreSQL. Start at {@link dev.muster.Muster}.
 *
 * <p>This package assembles a node from the packages below it:
 *
 * <pre>
 *   Muster                 the entry point of a program; delegates to the parts below
 *   ├─ NodeContext         what the builder was given, defaults for the rest, and the open {@link dev.muster.Store}
 *   ├─ AfterBuild          jobs, locks and so on for handlers that are created before the Muster
 *   ├─ ClientApi           jobs, queues, crons, daemons, locks; they need no running node; observers only read
 *   └─ Node                the life cycle of a node: starts, handles commands, drains, ends; reports its health
 *      ├─ NodeRegistration the node's row (dev.muster.cluster)
 *      ├─ NodeWorkloads    the jobs and daemons that the node runs
 *      ├─ ClusterServices  the services of the leader: elections, recovery, crons, upkeep
 *      └─ HealthPorts      the HTTP ports
 * </pre>
 *
 * <p>Only Node defines the order of starting and stopping. A node joins before it does anything else, and becomes active when
 * all of its parts run. When it stops, it first announces that, then stops its jobs and daemons, then its leader's services, then
 * gives up its leader roles, and removes its row last. So no other node has to wait to find out.
 */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;
