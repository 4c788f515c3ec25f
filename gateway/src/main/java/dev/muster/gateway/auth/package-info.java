/**
 * Who sends a request. A caller shows an API key ({@code Authorization: Bearer mk_…} or {@code X-API-Key}) or a token ({@code
 * Authorization: Bearer …}); with {@code gateway.auth = none} everybody on this machine may do everything.
 *
 * <p>Wrong keys and tokens all get the same answer, 401, whatever is wrong with them: the reason is for the log. An address that has
 * sent {@value dev.muster.gateway.auth.WrongCredentials#MOST} wrong ones within a minute gets 429 before anything is looked up.
 */
@NullMarked
package dev.muster.gateway.auth;

import org.jspecify.annotations.NullMarked;
