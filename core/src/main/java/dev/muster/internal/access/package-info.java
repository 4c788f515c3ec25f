/**
 * Who may do what: callers and their scopes, API keys, and the audit of what operators did. The gateway asks here before it does anything
 * for a caller.
 *
 * <pre>
 *   ApiKeys (programs, operators, the gateway) ──▶ ApiKeyStore ── the change and its entry in the audit: one transaction
 *                                                    ▲
 *   ApiKeyVerifier (the gateway, each request) ──────┘  a lookup for each key every 5 s, none in between
 *
 *   AuditStore.begin ── the action ── AuditStore.end    for actions that have no transaction of their own
 * </pre>
 *
 * <p>Keys of the cluster are another thing: {@link dev.muster.internal.access.ClusterKeys} are for what nodes send to each other. Their secrets are
 * stored as they are, because nodes sign with them; whoever reads the table can call functions as anybody.
 *
 * <h2>States of a key</h2>
 *
 * <pre>
 *   live ──▶ expired   by the database's clock
 *     └────▶ revoked   by an operator
 * </pre>
 *
 * A key never becomes live again. A key that was rotated stays live until the overlap is over or it expires, whichever is earlier; its
 * successor is another key. A key has at most one successor.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>The text of a key is {@code mk_}, its id, {@code _} and 256 random bits. It is returned once, by the call that creates it, and stored
 *       nowhere: the database has its SHA-256 only. No {@code toString} shows it. A hash of this kind is enough because nobody can guess 256
 *       random bits, however fast hashes can be computed.
 *   <li>The statements that revoke or rotate a key find it live by the database's clock, under the lock of its row. Of two rotations at the
 *       same time one is refused.
 *   <li>Whoever may start certain names only gets no key for others, neither by creating nor by rotating one.
 *   <li>Every change of a key has an entry in the audit, which is committed together with the change.
 *   <li>What an operator does has an entry, which is committed before: of the gateway for calls, of the command line for commands on the database.
 *   <li>An action in the audit without an outcome may or may not have been done: the node ended before it could say so.
 * </ul>
 *
 * <h2>What the cache of verified keys promises</h2>
 *
 * <ul>
 *   <li>A change of a key reaches every node that is connected at once, by the topic {@code KEYS}; all answers that are remembered are dropped,
 *       and what a lookup that began before brings along is not remembered. A node that does not hear of it asks the database after 5 s at
 *       most.
 *   <li>A key is never accepted after it expired. With a key the database says for how long it is valid. It read its clock after the node
 *       had asked; so until that much after its question the node may go by its own monotonic clock, and then it asks again.
 *   <li>Keys that do not exist are remembered for a second, and never more than 10,000 of them. A text that cannot be a key leads to no
 *       lookup. The secret of a key is compared in memory, so wrong secrets for one id lead to no more lookups than the right one.
 *   <li>Many requests with the same key at the same time lead to one lookup.
 *   <li>While the database does not answer, keys that are remembered still work until their 5 s are over. All others fail with
 *       {@link dev.muster.runtime.DatabaseUnavailable}: they are neither accepted nor refused.
 * </ul>
 */
@NullMarked
package dev.muster.internal.access;

import org.jspecify.annotations.NullMarked;
