package dev.muster.internal.access;

import dev.muster.internal.access.ApiKeyStore.StoredKey;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.WaitInterrupted;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Says whether what a caller has sent is a live key. The package's description says what its cache promises.
 */
public final class ApiKeyVerifier {
    private final ApiKeyStore store;
    private final Consumer<String> used;
    private final Clock clock;
    private final RememberedKeys remembered;
    private final ConcurrentMap<String, Lookup> lookups = new ConcurrentHashMap<>();

    /** A question to the database, which several requests may wait for. */
    private static final class Lookup extends CompletableFuture<Optional<StoredKey>> {}

    /**
     * @param used is told the id of each key that was looked up and accepted; must be quick
     * @param clock the node's monotonic clock
     */
    ApiKeyVerifier(ApiKeyStore store, Consumer<String> used, Clock clock) {
        this.store = store;
        this.used = used;
        this.clock = clock;
        this.remembered = new RememberedKeys(clock);
    }

    /**
     * The key, if it is live.
     *
     * @throws DatabaseUnavailable if nothing is remembered of the key, and the database does not answer
     */
    public Optional<VerifiedKey> verify(String presented) {
        return KeyText.parse(presented)
                .flatMap(text ->
                        find(text).filter(stored -> text.hasHash(stored.hash())).map(StoredKey::key));
    }

    /** A key has changed, or may have. */
    void forget() {
        remembered.clear();
        // Whoever asks from now on must not get the answer to a question that was asked before.
        lookups.clear();
    }

    private Optional<StoredKey> find(KeyText text) {
        Optional<StoredKey> known = remembered.get(text.id());
        return known != null ? known : lookUp(text);
    }

    private Optional<StoredKey> lookUp(KeyText text) {
        Lookup own = new Lookup();
        Lookup others = lookups.putIfAbsent(text.id(), own);
        return others == null ? ask(text, own) : await(text, others);
    }

    private Optional<StoredKey> ask(KeyText text, Lookup lookup) {
        try {
            // Another lookup may have ended between the look into the memory and this one.
            Optional<StoredKey> known = remembered.get(text.id());
            Optional<StoredKey> found = known != null ? known : read(text);
            lookup.complete(found);
            return found;
        } catch (Throwable e) {
            lookup.completeExceptionally(e);
            throw e;
        } finally {
            lookups.remove(text.id(), lookup);
        }
    }

    private Optional<StoredKey> read(KeyText text) {
        long generation = remembered.generation();
        long asked = clock.nanos();
        Optional<StoredKey> found = store.findLive(text.id());
        remembered.put(text.id(), found, asked, generation);
        if (found.isPresent() && text.hasHash(found.get().hash())) {
            used.accept(text.id());
        }
        return found;
    }

    /** The lookup is another request's: if it failed for a reason of that request alone, such as an interruption, this one asks itself. */
    private Optional<StoredKey> await(KeyText text, Lookup lookup) {
        try {
            return lookup.get();
        } catch (InterruptedException e) {
            throw new WaitInterrupted("the lookup of an API key", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DatabaseUnavailable unavailable) {
                throw new DatabaseUnavailable(String.valueOf(unavailable.getMessage()), unavailable);
            }
            return read(text);
        }
    }
}
