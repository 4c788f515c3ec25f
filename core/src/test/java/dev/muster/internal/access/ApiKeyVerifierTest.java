package dev.muster.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Caller;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.internal.access.ApiKeyStore.NewKey;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeyVerifierTest {
    private static final KeyRequest REQUEST = KeyRequest.of("billing", Scope.WRITE);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final MemoryKeys store = new MemoryKeys(nanos::get);
    private final List<String> used = new ArrayList<>();
    private final ApiKeyVerifier verifier = new ApiKeyVerifier(store, used::add, nanos::get);

    private KeyText create(KeyRequest request) {
        KeyText text = KeyText.random();
        NewAuditEntry entry = NewAuditEntry.of(Caller.program("test"), "keys.create", text.id(), "node-1");
        store.create(new NewKey(text.id(), text.hash()), request, entry);
        return text;
    }

    private void revoke(KeyText text) {
        store.revoke(text.id(), NewAuditEntry.of(Caller.program("test"), "keys.revoke", text.id(), "node-1"));
    }

    private boolean accepts(KeyText text) {
        return verifier.verify(text.text()).isPresent();
    }

    private void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    /** The same id with another secret. */
    private static String withOtherSecret(KeyText text) {
        String other = KeyText.random().text();
        return text.text().substring(0, 16) + other.substring(16);
    }

    @Test
    void aLiveKeyIsAccepted() {
        KeyText text =
                create(REQUEST.roles(Set.of("clerk")).names(Set.of("mail_*")).tenant("acme"));

        VerifiedKey key = verifier.verify(text.text()).orElseThrow();

        assertThat(key)
                .isEqualTo(new VerifiedKey(
                        text.id(),
                        "billing",
                        Scope.WRITE,
                        Set.of("clerk"),
                        NamePatterns.of("mail_*"),
                        Optional.of("acme")));
        Caller caller = key.caller(Optional.of("10.0.0.7"));
        assertThat(caller.id()).isEqualTo("key:" + text.id());
        assertThat(caller.tenant()).contains("acme");
        assertThat(caller.mayStart("mail_welcome")).isTrue();
        assertThat(caller.mayStart("delete_customer")).isFalse();
        assertThat(used).containsExactly(text.id());
    }

    @Test
    void aKeyIsLookedUpOnceInFiveSeconds() {
        KeyText text = create(REQUEST);
        for (int i = 0; i < 10; i++) {
            assertThat(accepts(text)).isTrue();
            advance(Duration.ofMillis(499));
        }
        assertThat(store.lookups).hasValue(1);

        advance(Duration.ofMillis(10));

        assertThat(accepts(text)).isTrue();
        assertThat(store.lookups).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "mk_",
                "hello",
                "mk_abcdefghijkl",
                "mk_abcdefghijkl_",
                "mk_abcdefghijkl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "mk_abcdefghijkl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "mk_abcdefghijkl-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "mk_ABCDEFGHIJKL_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "MK_abcdefghijkl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "mk_abcdefghijkl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "mk_abcdefghijk\0_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "mk_abcdefghijkl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAé"
            })
    void whatCannotBeAKeyIsRefusedWithoutALookup(String text) {
        assertThat(verifier.verify(text)).isEmpty();
        assertThat(store.lookups).hasValue(0);
    }

    @Test
    void wrongSecretsAreRefusedAndCostNoLookups() {
        KeyText text = create(REQUEST);
        for (int i = 0; i < 100; i++) {
            assertThat(verifier.verify(withOtherSecret(text))).isEmpty();
        }
        assertThat(used).isEmpty();
        assertThat(accepts(text)).isTrue();
        assertThat(store.lookups).hasValue(1);
    }

    @Test
    void aKeyEndsWhenItExpiresEvenIfItIsRemembered() {
        KeyText text = create(REQUEST.expiresIn(Duration.ofSeconds(3)));
        assertThat(accepts(text)).isTrue();
        advance(Duration.ofMillis(2_900));
        assertThat(accepts(text)).isTrue();
        assertThat(store.lookups).hasValue(1);

        advance(Duration.ofMillis(99));
        assertThat(accepts(text))
                .as("the database decides about the last moments")
                .isTrue();
        advance(Duration.ofMillis(1));

        assertThat(accepts(text)).isFalse();
        assertThat(store.lookups.get()).isGreaterThan(1);
    }

    /** The database may have read its clock at the beginning of a slow lookup. */
    @Test
    void theTimeOfALookupIsNotAddedToTheLifeOfAKey() {
        KeyText text = create(REQUEST.expiresIn(Duration.ofSeconds(3)));
        store.duringLookup = () -> advance(Duration.ofSeconds(2));
        assertThat(accepts(text)).isTrue();
        store.duringLookup = () -> {};

        advance(Duration.ofSeconds(1));

        assertThat(accepts(text)).isFalse();
    }

    @Test
    void aRevokedKeyIsRefusedAfterFiveSecondsAtMost() {
        KeyText text = create(REQUEST);
        assertThat(accepts(text)).isTrue();

        revoke(text);
        advance(Duration.ofSeconds(5));

        assertThat(accepts(text)).isFalse();
    }

    @Test
    void aRevokedKeyIsRefusedAtOnceIfTheNodeHearsOfIt() {
        KeyText text = create(REQUEST);
        assertThat(accepts(text)).isTrue();

        revoke(text);
        verifier.forget();

        assertThat(accepts(text)).isFalse();
    }

    @Test
    void aLookupThatBeganBeforeAChangeIsNotRemembered() {
        KeyText text = create(REQUEST);
        store.duringLookup = () -> {
            revoke(text);
            verifier.forget();
        };
        verifier.verify(text.text());
        store.duringLookup = () -> {};

        assertThat(accepts(text)).isFalse();
        assertThat(store.lookups).hasValue(2);
    }

    @Test
    void whoAsksAfterAChangeDoesNotGetAnAnswerFromBefore() throws Exception {
        KeyText text = create(REQUEST);
        CountDownLatch read = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        store.duringLookup = () -> {
            read.countDown();
            awaitOrFail(goOn);
        };
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> before = thread.submit(() -> accepts(text));
            awaitOrFail(read);
            store.duringLookup = () -> {};
            revoke(text);
            verifier.forget();

            assertThat(accepts(text)).isFalse();
            goOn.countDown();
            assertThat(before.get(1, TimeUnit.MINUTES))
                    .as("it asked before the change")
                    .isTrue();
            assertThat(accepts(text)).isFalse();
        } finally {
            goOn.countDown();
            thread.shutdownNow();
        }
    }

    private static void awaitOrFail(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void unknownKeysAreRememberedForASecond() {
        KeyText unknown = KeyText.random();
        assertThat(accepts(unknown)).isFalse();
        advance(Duration.ofMillis(999));
        assertThat(accepts(unknown)).isFalse();
        assertThat(store.lookups).hasValue(1);

        advance(Duration.ofMillis(1));

        assertThat(accepts(unknown)).isFalse();
        assertThat(store.lookups).hasValue(2);
    }

    @Test
    void manyRequestsAtOnceAreOneLookup() throws Exception {
        KeyText text = create(REQUEST);
        int requests = 100;
        CountDownLatch all = new CountDownLatch(requests);
        CountDownLatch goOn = new CountDownLatch(1);
        store.duringLookup = () -> awaitOrFail(goOn);
        ExecutorService threads = Executors.newFixedThreadPool(requests);
        try {
            List<Future<Boolean>> answers = new ArrayList<>();
            for (int i = 0; i < requests; i++) {
                answers.add(threads.submit(() -> {
                    all.countDown();
                    return accepts(text);
                }));
            }
            awaitOrFail(all);
            goOn.countDown();
            for (Future<Boolean> answer : answers) {
                assertThat(answer.get(1, TimeUnit.MINUTES)).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(store.lookups).hasValue(1);
    }

    @Test
    void aFailureIsNotRemembered() {
        KeyText text = create(REQUEST);
        store.away = true;
        assertThatThrownBy(() -> accepts(text)).isInstanceOf(DatabaseUnavailable.class);

        store.away = false;

        assertThat(accepts(text)).isTrue();
    }

    @Test
    void whoWaitsForALookupOfAnotherIsToldThatTheDatabaseIsAway() throws Exception {
        KeyText text = create(REQUEST);

        assertThatThrownBy(() -> answerToTheOne(text, new DatabaseUnavailable("the database is away", null)))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(DatabaseUnavailable.class);
        assertThat(store.lookups).hasValue(1);
    }

    @Test
    void whoWaitsForALookupOfAnotherDoesNotShareItsInterruption() throws Exception {
        KeyText text = create(REQUEST);

        assertThat(answerToTheOne(text, new MusterException("interrupted"))).isTrue();
        assertThat(store.lookups).hasValue(2);
    }

    /** Lets one request wait for the lookup of another, which fails. */
    private boolean answerToTheOne(KeyText text, RuntimeException failure) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        store.duringLookup = () -> {
            asked.countDown();
            awaitOrFail(goOn);
            throw failure;
        };
        CompletableFuture<Thread> waiting = new CompletableFuture<>();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<Boolean> first = threads.submit(() -> accepts(text));
            awaitOrFail(asked);
            store.duringLookup = () -> {};
            Future<Boolean> second = threads.submit(() -> {
                waiting.complete(Thread.currentThread());
                return accepts(text);
            });
            Thread thread = waiting.get(1, TimeUnit.MINUTES);
            await().until(() -> thread.getState() == Thread.State.WAITING);
            goOn.countDown();
            assertThatThrownBy(() -> first.get(1, TimeUnit.MINUTES)).hasCause(failure);
            return second.get(1, TimeUnit.MINUTES);
        } finally {
            goOn.countDown();
            threads.shutdownNow();
        }
    }

    @Test
    void rememberedKeysWorkWhileTheDatabaseIsAway() {
        KeyText text = create(REQUEST);
        KeyText unknown = KeyText.random();
        assertThat(accepts(text)).isTrue();
        store.away = true;

        advance(Duration.ofMillis(4_999));
        assertThat(accepts(text)).isTrue();
        assertThatThrownBy(() -> accepts(unknown)).isInstanceOf(DatabaseUnavailable.class);
        advance(Duration.ofMillis(1));
        assertThatThrownBy(() -> accepts(text)).isInstanceOf(DatabaseUnavailable.class);
    }
}
