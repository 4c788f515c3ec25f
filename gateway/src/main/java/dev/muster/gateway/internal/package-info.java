/**
 * HTTP for programs: RPC functions, JSON-RPC, REST, authentication and metrics, on nodes with the gateway role. For people it serves the
 * dashboard, a page that uses the same routes.
 *
 * <h2>What a request goes through</h2>
 *
 * <pre>
 *   HttpServer (Javalin)   finds the route, or answers 404 and 405
 *   └─ Pipeline
 *      1. RequestCapacity  503 while the node is not active, when it drains, and when it handles as many requests as it may; once the
 *                          caller is known, 429 if the places that are left are for others
 *      2. Authentication   401; 429 for an address that has sent many wrong keys
 *      3. authorisation    403: the route's scope, its tenants; a write on an observer
 *      4. rate limit       429, per caller
 *      5. body             413, 408; received only now, and never more than {@code gateway.max_body}; 503 if the heap has no more memory for it
 *      6. Turns            503 if the caller's turn does not come in time; a call of a function takes one for reading a large body, and
 *                          while it uses a connection
 *      7. body             415, 400, 503; read if there is room for it
 *      8. audit            the entry is written before the action, and completed after it; of the body it has what the route names
 *      9. handler          {@link dev.muster.gateway.internal.route.Route#handler}
 *     10. Failures         exceptions become statuses and errors; what is unexpected is logged and becomes a 500 that tells nothing.
 *                          503 means that nothing was committed since 9 began, see {@link dev.muster.internal.runtime.SentCommits}
 * </pre>
 *
 * <p>{@code Pipeline} says in which order a request takes what is limited, and why no two of them wait for each other.
 *
 * <p>The two probes skip all of this: they are answered even if no request is admitted. They have threads of their own, because there
 * are more threads than {@code gateway.max_requests}. No thread waits until a client takes the answer of a probe, or a refusal.
 *
 * <p>The files of the dashboard have a capacity of their own, and nothing else. They are the same for everybody and hold no data; the page asks for a
 * key, and sends it with each request. Whoever has no key takes no place of those who have one, and one address not all places of files.
 *
 * <p>A request for live events goes the same way, and its answer then leaves it: {@code EventStreams} sends it for as long as the caller
 * listens. It takes neither a thread nor a place among the requests.
 *
 * <p>Before all of this a request needs a connection. {@code Connections} says how many there are, which one makes room for another, and how long a client
 * may take for the head of a request and for its answer.
 *
 * <h2>Costs</h2>
 *
 * What a caller sends is counted before it is looked at: items of lists, parents, values of a parameter, lengths of names. Work that grows with the product
 * of two such numbers is not done. Answers have about 16 MB of values; what is behind them is left out where it is read, not where it is written.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Every route but the probes and the dashboard's files needs a caller with the route's scope. There is one list of routes, and the tests enumerate it.
 *   <li>Every answer has {@code X-Request-Id}; every error has the envelope {@code {success, error, request_id}}.
 *   <li>Nothing is written for a request that is refused.
 *   <li>A gateway keeps nothing about its callers but caches: any other gateway can answer the next request.
 * </ul>
 *
 * <h2>Ports</h2>
 *
 * The gateway's port is opened by {@link dev.muster.Gateway}. A node that runs functions has another one for calls that gateways forward
 * ({@link dev.muster.internal.provider.CallPort}): the same server, with one route and signed tickets instead of keys. See {@code
 * dev.muster.gateway.internal.forward}.
 *
 * <h2>Drain</h2>
 *
 * <pre>
 *   open ── the node drains ──▶ notice ── gateway.drain_notice ──▶ refusing ── requests end, or gateway.drain_timeout ──▶ drained
 *   drained ── the node has left ──▶ the port closes, then each connection is told ──▶ closed
 * </pre>
 *
 * While the notice lasts, {@code /_api/ready} is 503 and everything else is served. From then on everything but the probes is refused with
 * 503. All of these answers are the last ones on their connections. Listeners of events are told when requests are refused, and go elsewhere.
 *
 * <p>No request that has arrived stays without an answer, also when the port closes: {@code Connections} says how.
 */
@NullMarked
package dev.muster.gateway.internal;

import org.jspecify.annotations.NullMarked;
