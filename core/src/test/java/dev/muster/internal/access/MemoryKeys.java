package dev.muster.internal.access;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.KeyRequest;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Keys in memory, for tests of what stands before the store. It counts lookups, and can be made unreachable. */
final class MemoryKeys implements ApiKeyStore {
    private final Clock clock;
    private final Map<String, Row> rows = new ConcurrentHashMap<>();
    final AtomicInteger lookups = new AtomicInteger();
    final List<NewAuditEntry> audit = new ArrayList<>();
    final List<List<String>> uses = new ArrayList<>();
    volatile boolean away;
    volatile Runnable duringLookup = () -> {};

    private record Row(NewKey key, KeyRequest request, long createdAt, boolean revoked) {}

    MemoryKeys(Clock clock) {
        this.clock = clock;
    }

    @Override
    public Optional<ApiKeyInfo> create(NewKey key, KeyRequest request, NewAuditEntry entry) {
        rows.put(key.id(), new Row(key, request, clock.nanos(), false));
        audit.add(entry);
        return find(key.id());
    }

    @Override
    public Optional<ApiKeyInfo> find(String id) {
        return Optional.ofNullable(rows.get(id))
                .map(row -> new ApiKeyInfo(
                        id,
                        row.request.name(),
                        row.request.scope(),
                        row.request.roles(),
                        row.request.names(),
                        row.request.tenant(),
                        Instant.EPOCH,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        row.revoked ? ApiKeyInfo.Status.REVOKED : ApiKeyInfo.Status.LIVE));
    }

    @Override
    public List<ApiKeyInfo> list() {
        return rows.keySet().stream().sorted().map(id -> find(id).orElseThrow()).toList();
    }

    @Override
    public boolean revoke(String id, NewAuditEntry entry) {
        audit.add(entry);
        return rows.computeIfPresent(id, (key, row) -> new Row(row.key, row.request, row.createdAt, true)) != null;
    }

    @Override
    public Rotation rotate(String id, NewKey successor, Duration overlap, NewAuditEntry entry) {
        return new Rotation.Rotated(
                create(successor, rows.get(id).request, entry).orElseThrow());
    }

    @Override
    public Optional<StoredKey> findLive(String id) {
        lookups.incrementAndGet();
        if (away) {
            throw new DatabaseUnavailable("the database is away", null);
        }
        Optional<StoredKey> found = Optional.ofNullable(rows.get(id))
                .filter(row -> !row.revoked)
                .map(this::stored)
                .filter(key -> key.left()
                        .map(left -> !left.isNegative() && !left.isZero())
                        .orElse(true));
        duringLookup.run();
        return found;
    }

    private StoredKey stored(Row row) {
        KeyRequest request = row.request;
        return new StoredKey(
                new VerifiedKey(
                        row.key.id(),
                        request.name(),
                        request.scope(),
                        request.roles(),
                        request.names(),
                        request.tenant()),
                row.key.hash(),
                request.expiresIn().map(lifetime -> lifetime.minusNanos(clock.nanos() - row.createdAt)));
    }

    @Override
    public void noteUse(Collection<String> ids) {
        uses.add(List.copyOf(ids));
        if (away) {
            throw new DatabaseUnavailable("the database is away", null);
        }
    }

    @Override
    public boolean forget(Connection tx, Duration retain) {
        return false;
    }
}
