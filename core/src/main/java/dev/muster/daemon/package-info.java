/**
 * Daemons: code that runs all the time, once in the cluster or once on each node. Write a method with {@link dev.muster.daemon.Daemon}; {@link
 * dev.muster.daemon.Daemons} says how daemons are.
 *
 * <p>An instance can overlap with its successor if it does not end when it is interrupted, or if its process was frozen; {@link
 * dev.muster.daemon.DaemonContext} has the fence that tells the two apart.
 */
@NullMarked
package dev.muster.daemon;

import org.jspecify.annotations.NullMarked;
