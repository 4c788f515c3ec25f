/**
 * Who sends a request. A caller shows an API key ({@code Authorization: Bearer mk_…} or {@code X-API-Key}) or a token ({@code
 * Authorization: Bearer …}); with {@code gateway.auth = none} everybody on this machine may do everything.
 *
 * <p>Wrong keys and tokens all get the same answer, 401, whatever is wrong with them: the reason is for the log. Once an address has
 * sent {@value dev.muster.gateway.internal.auth.WrongCredentials#MOST} wrong ones within a minute, {@value
 * dev.muster.gateway.internal.auth.WrongCredentials#MOST_AT_ONCE} of them are checked at a time, and it gets 429 for others before anything is looked up.
 * Whoever listens to events is asked about again and again without being counted, so that no noise of others hides that a key was revoked.
 *
 * <h2>Tokens</h2>
 *
 * <pre>
 *   TokenVerifier      the header: only what the settings allow
 *   ├─ TokenKeys       PublishedKeys (jwt.jwks_url) or KeysFile (jwt.keys_file): a KeySet of TokenKeys
 *   ├─ TokenKey        the signature
 *   └─ TokenClaims     the claims: whose token it is, and what its caller may do
 * </pre>
 *
 * <ul>
 *   <li>Nothing in a token chooses an algorithm or a key: the settings list the algorithms, and the kind of a key decides which of them it
 *       verifies. So a public key is never taken for a secret.
 *   <li>{@code exp} is required. Times are compared with the database's clock: {@code exp} exactly, {@code nbf} and {@code iat} with 30 s
 *       for the issuer's clock.
 *   <li>A claim that makes no sense is never taken for one that is missing: a token without a tenant may use the things of all.
 *   <li>Old keys stay if newer ones cannot be read. A node that never got keys answers tokens with 503, because it can neither accept nor
 *       refuse them; API keys work.
 *   <li>At most {@value dev.muster.gateway.internal.auth.PublishedKeys#MOST_WAITING} requests wait for the issuer: nobody knows yet whose they are, and
 *       each has a place that a known caller could have.
 *   <li>What was verified is remembered for five seconds, or until the keys change; whether a token has expired is decided for each
 *       request.
 * </ul>
 */
@NullMarked
package dev.muster.gateway.internal.auth;

import org.jspecify.annotations.NullMarked;
