/**
 * The ports between the engine and a store: what a database must be able to do with jobs, claims and queues. Users of Muster do not
 * need this package. Each port has one kind of user:
 *
 * <table>
 *   <caption>Ports and their users</caption>
 *   <tr><td>{@link dev.muster.internal.job.store.JobStore}</td><td>{@link dev.muster.job.Jobs}: adds and changes jobs</td></tr>
 *   <tr><td>{@link dev.muster.internal.job.store.JobReader}</td><td>{@link dev.muster.job.Jobs}: finds, lists and searches</td></tr>
 *   <tr><td>{@link dev.muster.internal.job.store.ClaimStore}</td><td>the worker: claims, runs and completes</td></tr>
 *   <tr><td>{@link dev.muster.internal.job.store.RecoveryStore}</td><td>the leader, or the node that stands in for it</td></tr>
 *   <tr><td>{@link dev.muster.internal.job.store.DependencyStore}</td><td>all three of them, whenever a job ends</td></tr>
 *   <tr><td>{@link dev.muster.internal.job.store.QueueStore}</td><td>{@link dev.muster.job.Queues}</td></tr>
 * </table>
 */
@NullMarked
package dev.muster.internal.job.store;

import org.jspecify.annotations.NullMarked;
