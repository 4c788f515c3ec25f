package dev.muster.internal.access;

import dev.muster.access.Caller;
import dev.muster.internal.runtime.StorableText;
import java.util.Optional;

/**
 * What somebody is about to do. Texts that are longer than the audit keeps are cut, and details that are too long are left out: nothing that
 * a caller sends may keep an action out of the audit.
 *
 * @param caller the id of the {@link Caller}; 300 characters are kept
 * @param callerName its name; 200 characters are kept
 * @param address the network address that the call came from
 * @param tenant the caller's tenant
 * @param action such as {@code queues.pause}; 100 characters are kept
 * @param target what it is done to, such as the name of the queue; empty for none; 500 characters are kept
 * @param details a JSON object with what else is worth knowing, 4,000 characters at most; no secrets
 * @param requestId by which the answer to the caller and the logs name the request
 * @param node the node that does it
 */
public record NewAuditEntry(
        String caller,
        String callerName,
        Optional<String> address,
        Optional<String> tenant,
        String action,
        String target,
        String details,
        Optional<String> requestId,
        String node) {
    private static final String NO_DETAILS = "{}";
    private static final int MAX_DETAILS = 4_000;

    public NewAuditEntry {
        caller = cut(caller, 300);
        callerName = cut(callerName, 200);
        address = address.map(text -> cut(text, 100));
        tenant = tenant.map(text -> cut(text, 200));
        action = cut(action, 100);
        target = cut(target, 500);
        details = details.length() > MAX_DETAILS
                ? "{\"left_out_characters\": " + details.length() + "}"
                : StorableText.of(details);
        requestId = requestId.map(text -> cut(text, 200));
        node = cut(node, 200);
    }

    /** An entry without details, of a call that has no request id. */
    public static NewAuditEntry of(Caller caller, String action, String target, String node) {
        return new NewAuditEntry(
                caller.id(),
                caller.name(),
                caller.address(),
                caller.tenant(),
                action,
                target,
                NO_DETAILS,
                Optional.empty(),
                node);
    }

    public NewAuditEntry details(String json) {
        return new NewAuditEntry(caller, callerName, address, tenant, action, target, json, requestId, node);
    }

    public NewAuditEntry requestId(String id) {
        return new NewAuditEntry(caller, callerName, address, tenant, action, target, details, Optional.of(id), node);
    }

    /** The first characters, none of them cut in half. */
    static String cut(String text, int length) {
        String storable = StorableText.of(text);
        if (storable.length() <= length) {
            return storable;
        }
        boolean pair = Character.isHighSurrogate(storable.charAt(length - 2));
        return storable.substring(0, pair ? length - 2 : length - 1) + "…";
    }
}
