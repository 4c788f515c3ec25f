/**
 * A client of the HTTP gateway, for programs and tools that do not reach the database. {@link dev.muster.client.MusterClient} has the same
 * verbs as {@link dev.muster.Muster}: both are a {@link dev.muster.ClusterApi}.
 *
 * <h2>What a client does not do</h2>
 *
 * It runs nothing, and it takes part in no transaction: {@code jobs().in(connection)} and its like are refused with a {@link
 * dev.muster.client.NeedsDatabase}, and so are locks, several runs at once and the commands about tables.
 *
 * <h2>When a request is sent again</h2>
 *
 * <ul>
 *   <li>A request that could not be sent, because nobody listens at the address, goes to the next server.
 *   <li>A gateway that answers that it is starting, draining or busy, that its database does not answer, or that the caller has sent too
 *       many requests, has not executed the request. It goes to the next server, and after all of them have refused it, it is sent again after the time that they named, as
 *       long as the client's timeout allows.
 *   <li>If the connection breaks after the request was sent, it may have been executed. It is sent once more only if that can do no harm:
 *       it only reads, or it sets a state, or it carries an id or a key by which the cluster knows it again.
 *   <li>A gateway that lost its database after a commit does not know whether the request was executed. It is not sent again; the call ends
 *       with {@link dev.muster.runtime.OutcomeUnknown}.
 *   <li>Everything else ends with {@link dev.muster.client.GatewayUnavailable}, which says whether the request may have been executed.
 * </ul>
 *
 * <h2>Errors</h2>
 *
 * What the process would throw, the client throws, too, where it can tell: {@link dev.muster.job.InvalidJob}, {@link
 * dev.muster.job.KeyConflict}, {@link dev.muster.runtime.ObserverRefusal} and others. All other refusals are a {@link
 * dev.muster.client.GatewayException}.
 */
@NullMarked
package dev.muster.client;

import org.jspecify.annotations.NullMarked;
