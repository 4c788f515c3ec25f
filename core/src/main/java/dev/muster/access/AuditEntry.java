package dev.muster.access;

import java.time.Instant;
import java.util.Optional;

/**
 * What somebody did.
 *
 * @param id later entries have higher ids
 * @param at when it began, by the database's clock
 * @param caller the id of the {@link Caller}, such as {@code key:…}, {@code jwt:…}, {@code cli:…} or {@code program:…}
 * @param callerName its name
 * @param address the network address that the call came from
 * @param tenant the caller's tenant
 * @param action such as {@code queues.pause}
 * @param target what it was done to; empty for none
 * @param details a JSON object
 * @param requestId by which the answer to the caller and the logs name the request
 * @param node the node that did it
 * @param outcome {@code done}, {@code refused: …}, {@code failed: …}, or {@code unknown: …} if nobody could find out; empty while it runs,
 *     or if its node ended before it could say
 */
public record AuditEntry(
        long id,
        Instant at,
        String caller,
        String callerName,
        Optional<String> address,
        Optional<String> tenant,
        String action,
        String target,
        String details,
        Optional<String> requestId,
        String node,
        Optional<String> outcome) {}
