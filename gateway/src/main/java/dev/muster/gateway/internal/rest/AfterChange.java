package dev.muster.gateway.internal.rest;

import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.internal.runtime.DoneButUnread;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers with what was changed. The change is committed when it is read, so the request has succeeded, whatever becomes of the reading: an
 * error would make the caller repeat it.
 */
final class AfterChange {
    private static final Logger log = LoggerFactory.getLogger(AfterChange.class);

    private AfterChange() {}

    /**
     * The document, or one that has nothing but this member if it cannot be read.
     *
     * @param member by which the document says what it is about, such as {@code id}
     */
    static Map<String, @Nullable Object> read(
            Call call, Supplier<Map<String, @Nullable Object>> document, String member, Object value) {
        try {
            return document.get();
        } catch (RuntimeException e) {
            return unread(call, e, member, value);
        }
    }

    /** The same for a change that reads what it has changed itself. */
    static <T> Answer of(Call call, Supplier<T> change, Function<T, Answer> answer, String member, Object value) {
        T changed;
        try {
            changed = change.get();
        } catch (DoneButUnread e) {
            return Answer.of(unread(call, e, member, value));
        }
        return answer.apply(changed);
    }

    private static Map<String, @Nullable Object> unread(Call call, RuntimeException e, String member, Object value) {
        log.warn("request={} was executed, but what it has changed cannot be read", call.requestId(), e);
        Map<String, @Nullable Object> known = new LinkedHashMap<>();
        known.put(member, value.toString());
        return known;
    }
}
