package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.ApiKeyInfo;
import dev.muster.access.ApiKeyInfo.Status;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.Caller;
import dev.muster.access.KeyRequest;
import dev.muster.access.RotationRefused.Reason;
import dev.muster.access.Scope;
import dev.muster.internal.access.ApiKeyStore;
import dev.muster.internal.access.ApiKeyStore.NewKey;
import dev.muster.internal.access.ApiKeyStore.Rotation;
import dev.muster.internal.access.ApiKeyStore.StoredKey;
import dev.muster.internal.access.AuditStore;
import dev.muster.internal.access.NewAuditEntry;
import dev.muster.internal.access.TimeStore;
import dev.muster.internal.access.VerifiedKey;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A key ends by the database's clock or by its revocation, and never comes back. Each change has its entry in the audit. */
abstract class ApiKeyStoreContract extends PortContract {
    private static final Duration DAY = Duration.ofDays(1);
    private static final KeyRequest REQUEST = KeyRequest.of("billing", Scope.WRITE);

    private ApiKeyStore keys() {
        return store().port(ApiKeyStore.class);
    }

    private List<AuditEntry> audit() {
        return store().port(AuditStore.class).list(AuditQuery.newest());
    }

    private static NewKey newKey(int number) {
        byte[] hash = new byte[32];
        Arrays.fill(hash, (byte) number);
        return new NewKey("key%09d".formatted(number), hash);
    }

    private static NewAuditEntry entry(String action) {
        return NewAuditEntry.of(Caller.program("test"), action, "target", "node-1");
    }

    private String create(int number, KeyRequest request) {
        return keys().create(newKey(number), request, entry("keys.create"))
                .orElseThrow()
                .id();
    }

    private Status status(String id) {
        return keys().find(id).orElseThrow().status();
    }

    private boolean revoke(String id) {
        return keys().revoke(id, entry("keys.revoke"));
    }

    private Rotation rotate(String id, int successor, Duration overlap) {
        return keys().rotate(id, newKey(successor), overlap, entry("keys.rotate"));
    }

    @Test
    void aKeyIsStoredAsItWasAskedFor() {
        KeyRequest request = new KeyRequest(
                "Billing – «é»",
                Scope.ADMIN,
                Set.of("clerk", "auditor"),
                NamePatterns.of("report", "mail_*"),
                Optional.of("acme"),
                Optional.of(DAY));
        Instant before = store().port(TimeStore.class).now();

        ApiKeyInfo created =
                keys().create(newKey(1), request, entry("keys.create")).orElseThrow();

        assertThat(created.id()).isEqualTo(newKey(1).id());
        assertThat(created.name()).isEqualTo("Billing – «é»");
        assertThat(created.scope()).isEqualTo(Scope.ADMIN);
        assertThat(created.roles()).containsExactlyInAnyOrder("clerk", "auditor");
        assertThat(created.names()).isEqualTo(NamePatterns.of("mail_*", "report"));
        assertThat(created.tenant()).contains("acme");
        assertThat(created.createdAt()).isBetween(before, before.plusSeconds(60));
        assertThat(created.expiresAt()).contains(created.createdAt().plus(DAY));
        assertThat(created.revokedAt()).isEmpty();
        assertThat(created.lastUsedAt()).isEmpty();
        assertThat(created.replacedBy()).isEmpty();
        assertThat(created.status()).isEqualTo(Status.LIVE);
        assertThat(keys().find(created.id())).contains(created);
        assertThat(keys().list()).containsExactly(created);
        StoredKey live = keys().findLive(created.id()).orElseThrow();
        assertThat(live.key())
                .isEqualTo(new VerifiedKey(
                        created.id(),
                        "Billing – «é»",
                        Scope.ADMIN,
                        Set.of("clerk", "auditor"),
                        NamePatterns.of("mail_*", "report"),
                        Optional.of("acme")));
        assertThat(live.hash()).isEqualTo(newKey(1).hash());
        assertThat(live.left().orElseThrow()).isBetween(DAY.minusMinutes(1), DAY);
    }

    @Test
    void aKeyWithoutExpiryStaysLive() {
        String id = create(1, REQUEST);
        advance(Duration.ofDays(4000));

        assertThat(status(id)).isEqualTo(Status.LIVE);
        assertThat(keys().findLive(id).orElseThrow().left()).isEmpty();
    }

    @Test
    void anIdIsNotGivenOutTwice() {
        String id = create(1, REQUEST);

        assertThat(keys().create(newKey(1), KeyRequest.of("other", Scope.ADMIN), entry("keys.create")))
                .isEmpty();
        assertThat(keys().find(id).orElseThrow().name()).isEqualTo("billing");
        assertThat(audit())
                .as("nothing was changed, so there is no second entry")
                .hasSize(1);
    }

    @Test
    void aKeyExpiresByTheDatabasesClock() {
        String id = create(1, REQUEST.expiresIn(DAY));
        advance(DAY.minusMinutes(1));
        assertThat(keys().findLive(id).orElseThrow().left().orElseThrow())
                .isPositive()
                .isLessThanOrEqualTo(Duration.ofMinutes(1));

        advance(Duration.ofMinutes(1));

        assertThat(status(id)).isEqualTo(Status.EXPIRED);
        assertThat(keys().findLive(id)).isEmpty();
        assertThat(revoke(id)).isFalse();
        assertThat(rotate(id, 2, DAY)).isEqualTo(new Rotation.Refused(Reason.EXPIRED));
        assertThat(keys().list()).hasSize(1);
        assertThat(audit()).extracting(AuditEntry::action).containsExactly("keys.create");
    }

    @Test
    void aRevokedKeyHasEnded() {
        String id = create(1, REQUEST);

        assertThat(revoke(id)).isTrue();

        assertThat(status(id)).isEqualTo(Status.REVOKED);
        assertThat(keys().find(id).orElseThrow().revokedAt()).isPresent();
        assertThat(keys().findLive(id)).isEmpty();
        assertThat(revoke(id)).as("a second time").isFalse();
        assertThat(rotate(id, 2, DAY)).isEqualTo(new Rotation.Refused(Reason.REVOKED));
        assertThat(keys().find(newKey(2).id())).isEmpty();
        assertThat(audit()).extracting(AuditEntry::action).containsExactly("keys.revoke", "keys.create");
    }

    @Test
    void anUnknownKeyCannotBeChanged() {
        assertThat(keys().find("nobodyhasit0")).isEmpty();
        assertThat(keys().findLive("nobodyhasit0")).isEmpty();
        assertThat(revoke("nobodyhasit0")).isFalse();
        assertThat(rotate("nobodyhasit0", 2, DAY)).isEqualTo(new Rotation.Refused(Reason.UNKNOWN));
        assertThat(audit()).isEmpty();
    }

    @Test
    void aChangeAndItsEntryAreWrittenTogether() {
        create(1, REQUEST);

        assertThat(audit()).singleElement().satisfies(entry -> {
            assertThat(entry.caller()).isEqualTo("program:test");
            assertThat(entry.action()).isEqualTo("keys.create");
            assertThat(entry.target()).isEqualTo("target");
            assertThat(entry.outcome()).contains(AuditStore.DONE);
        });
    }

    @Test
    void aRotatedKeyStaysLiveForTheOverlap() {
        KeyRequest request = REQUEST.roles(Set.of("clerk"))
                .names(Set.of("mail_*"))
                .tenant("acme")
                .expiresIn(Duration.ofDays(90));
        String old = create(1, request);
        advance(Duration.ofDays(80));

        Rotation rotation = rotate(old, 2, DAY);

        assertThat(rotation).isInstanceOfSatisfying(Rotation.Rotated.class, rotated -> {
            ApiKeyInfo successor = rotated.successor();
            assertThat(successor.id()).isEqualTo(newKey(2).id());
            assertThat(successor.name()).isEqualTo("billing");
            assertThat(successor.scope()).isEqualTo(Scope.WRITE);
            assertThat(successor.roles()).containsExactly("clerk");
            assertThat(successor.names()).isEqualTo(NamePatterns.of("mail_*"));
            assertThat(successor.tenant()).contains("acme");
            assertThat(successor.expiresAt())
                    .as("the same lifetime, from now on")
                    .contains(successor.createdAt().plus(Duration.ofDays(90)));
        });
        assertThat(keys().findLive(newKey(2).id()).orElseThrow().hash())
                .isEqualTo(newKey(2).hash());
        assertThat(keys().find(old).orElseThrow().replacedBy())
                .contains(newKey(2).id());
        assertThat(keys().findLive(old).orElseThrow().left().orElseThrow()).isBetween(DAY.minusMinutes(1), DAY);
        advance(DAY);
        assertThat(status(old)).isEqualTo(Status.EXPIRED);
        assertThat(status(newKey(2).id())).isEqualTo(Status.LIVE);
    }

    @Test
    void aRotationDoesNotLengthenTheLifeOfTheOldKey() {
        String old = create(1, REQUEST.expiresIn(Duration.ofHours(1)));

        rotate(old, 2, DAY);
        advance(Duration.ofHours(1));

        assertThat(status(old)).isEqualTo(Status.EXPIRED);
    }

    @Test
    void withoutAnOverlapTheOldKeyEndsAtOnce() {
        String old = create(1, REQUEST);

        assertThat(rotate(old, 2, Duration.ZERO)).isInstanceOf(Rotation.Rotated.class);

        assertThat(keys().findLive(old)).isEmpty();
        assertThat(keys().find(newKey(2).id()).orElseThrow().expiresAt()).isEmpty();
    }

    @Test
    void aKeyHasOneSuccessor() {
        String old = create(1, REQUEST);
        rotate(old, 2, DAY);

        assertThat(rotate(old, 3, DAY)).isEqualTo(new Rotation.Refused(Reason.REPLACED));
        assertThat(keys().find(newKey(3).id())).isEmpty();
        assertThat(rotate(newKey(2).id(), 3, DAY)).isInstanceOf(Rotation.Rotated.class);
    }

    @Test
    void aSuccessorGetsNoIdThatIsTaken() {
        String old = create(1, REQUEST);
        create(2, KeyRequest.of("other", Scope.READ));

        assertThat(rotate(old, 2, DAY)).isInstanceOf(Rotation.IdTaken.class);

        assertThat(keys().find(old).orElseThrow().replacedBy()).isEmpty();
        assertThat(keys().find(newKey(2).id()).orElseThrow().name()).isEqualTo("other");
    }

    @Test
    void ofManyRotationsAtOnceOneSucceeds() throws Exception {
        String old = create(1, REQUEST);
        ApiKeyStore other = anotherNode().port(ApiKeyStore.class);
        List<Callable<Rotation>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ApiKeyStore node = i % 2 == 0 ? keys() : other;
            int successor = 10 + i;
            calls.add(() -> node.rotate(old, newKey(successor), DAY, entry("keys.rotate")));
        }

        List<Rotation> rotations = atOnce(calls);

        assertThat(rotations).filteredOn(Rotation.Rotated.class::isInstance).hasSize(1);
        assertThat(rotations)
                .filteredOn(rotation -> rotation.equals(new Rotation.Refused(Reason.REPLACED)))
                .hasSize(7);
        assertThat(keys().list()).hasSize(2);
        assertThat(audit()).extracting(AuditEntry::action).containsExactly("keys.rotate", "keys.create");
    }

    @Test
    void ofARevocationAndARotationAtOnceNeitherIsLost() throws Exception {
        for (int round = 0; round < 10; round++) {
            String old = create(100 + round, REQUEST);
            int successor = 200 + round;

            List<Object> results =
                    atOnce(List.of(() -> revoke(old), () -> rotate(old, successor, Duration.ofHours(1))));

            assertThat(results.get(0)).as("a rotated key is live").isEqualTo(true);
            assertThat(status(old)).isEqualTo(Status.REVOKED);
            assertThat(keys().find(newKey(successor).id()).isPresent())
                    .isEqualTo(results.get(1) instanceof Rotation.Rotated);
        }
    }

    private static <T> List<T> atOnce(List<Callable<T>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void liveKeysAreListedFirst() {
        create(1, REQUEST);
        advance(Duration.ofSeconds(1));
        create(2, REQUEST.expiresIn(Duration.ofHours(1)));
        advance(Duration.ofSeconds(1));
        revoke(create(3, REQUEST));
        advance(Duration.ofSeconds(1));
        create(4, REQUEST);
        advance(Duration.ofHours(2));

        assertThat(keys().list())
                .extracting(ApiKeyInfo::id)
                .containsExactly(
                        newKey(4).id(),
                        newKey(1).id(),
                        newKey(3).id(),
                        newKey(2).id());
    }

    @Test
    void theLastUseIsWrittenOnceAMinute() {
        String id = create(1, REQUEST);
        String unused = create(2, REQUEST);

        keys().noteUse(List.of(id, "nobodyhasit0"));
        Instant first = keys().find(id).orElseThrow().lastUsedAt().orElseThrow();
        advance(Duration.ofSeconds(30));
        anotherNode().port(ApiKeyStore.class).noteUse(List.of(id));
        assertThat(keys().find(id).orElseThrow().lastUsedAt()).contains(first);

        advance(Duration.ofSeconds(30));
        keys().noteUse(List.of(id));

        assertThat(keys().find(id).orElseThrow().lastUsedAt().orElseThrow()).isAfterOrEqualTo(first.plusSeconds(60));
        assertThat(keys().find(unused).orElseThrow().lastUsedAt()).isEmpty();
    }

    @Test
    void keysThatEndedLongAgoAreForgotten() {
        String live = create(1, REQUEST);
        create(2, REQUEST.expiresIn(DAY));
        revoke(create(3, REQUEST));
        String late = create(4, REQUEST.expiresIn(DAY.multipliedBy(9)));
        advance(DAY.multipliedBy(10));
        assertThat(forget(DAY.multipliedBy(11))).isFalse();
        assertThat(keys().list()).hasSize(4);

        assertThat(forget(DAY.multipliedBy(5))).isFalse();

        assertThat(keys().list()).extracting(ApiKeyInfo::id).containsExactly(live, late);
    }

    private boolean forget(Duration retain) {
        return inTransaction(tx -> keys().forget(tx, retain));
    }
}
