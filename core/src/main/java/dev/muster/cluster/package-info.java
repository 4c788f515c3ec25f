/**
 * The nodes of a cluster and its leaders, as their rows say, and what a program can replace: how a node gets its id ({@link
 * dev.muster.cluster.NodeIdentityProvider}), and how nodes wake each other ({@link dev.muster.cluster.ClusterCoordinator}).
 */
@NullMarked
package dev.muster.cluster;

import org.jspecify.annotations.NullMarked;
