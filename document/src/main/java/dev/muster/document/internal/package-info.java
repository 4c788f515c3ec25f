/**
 * The JSON form of everything that people and programs see of a cluster: jobs, queues, crons, daemons, workflows, graphs, batches, nodes,
 * leaders, locks, and the requests that change them. The command line prints these documents with {@code -o json}, the HTTP gateway sends
 * and receives them, and the client reads them back.
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>Names are in snake_case. Scripts rely on them: a name is never changed, and a field is added at the end.
 *   <li>There is one class for each thing. Its {@code write} returns the members in their order, and its {@code read} returns the thing; what
 *       was written and read is equal to what it was before.
 *   <li>A field without a value is written as {@code null}, so that a reader sees which fields there are. When a document is read, null
 *       and a missing field mean the same.
 *   <li>Instants are texts in ISO-8601, in UTC, to the microsecond, as the database keeps them. Durations in answers are numbers of
 *       milliseconds whose names end in {@code _ms}; durations in requests are texts such as {@code 1h30m}.
 *   <li>Args, inputs and results are embedded as they are. Their numbers keep all of their digits.
 *   <li>Answers may have fields that the reader does not know: a later version may send them. Requests may not: a field that is misspelt
 *       must not be ignored.
 * </ul>
 *
 * <h2>Trust</h2>
 *
 * Whoever reads a request trusts nothing in it. {@link dev.muster.document.internal.JsonObjectReader} refuses a value of the wrong kind, a number that does not
 * fit and a text that the database cannot store, and says where it is: {@code jobs[3].priority: must be …}. What a field means is checked by
 * the thing itself, {@link dev.muster.job.JobRequest} for example; its refusal gets that in front.
 */
@NullMarked
package dev.muster.document.internal;

import org.jspecify.annotations.NullMarked;
