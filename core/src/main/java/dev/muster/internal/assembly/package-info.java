/**
 * Assembles a node from the packages below it. Only {@code dev.muster} uses this package.
 *
 * <pre>
 *   NodeSpec               what the builder was given
 *   AfterBuild             jobs, locks and so on for handlers that are created before the Muster
 *   NodeResources          the same with defaults for the rest, and the open {@link dev.muster.internal.provider.Store}
 *   ├─ Subsystems          the one list of subsystems, with those of other jars ({@link dev.muster.internal.node})
 *   ├─ RoutedHandlers      the node's handlers, divided among its executors
 *   └─ ClientApi           jobs, queues, locks, and the APIs of the subsystems; they need no running node
 *      └─ ReadOnlyApi      the same on an observer, which refuses what {@linkplain dev.muster.runtime.Writes writes}
 *   Node                   the life cycle of a node: starts, handles commands, drains, ends; reports its health
 *   ├─ NodeRegistration    the node's row (dev.muster.cluster)
 *   ├─ LeaderRoles         elections, and the node's view of each leader role
 *   ├─ NodeParts           all parts in the order in which they start
 *   │  ├─ JobEngine        the worker and recovery
 *   │  └─ …                the parts of each subsystem
 *   ├─ HttpPorts           the HTTP ports: health, and the {@link dev.muster.Gateway} if its module is there
 *   └─ ForwardedCallsPort  the port for calls that gateways forward
 * </pre>
 *
 * <p>A node joins before it does anything else, and becomes active when all of its parts run. When it stops, it first announces
 * that, then stops its parts in the reverse order, then gives up its leader roles, and removes its row last. So no other node has to
 * wait to find out.
 */
@NullMarked
package dev.muster.internal.assembly;

import org.jspecify.annotations.NullMarked;
