package dev.muster.gateway.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.Caller;
import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class WrongCredentialsTest {
    private static final String BALANCER = "10.0.0.1";
    private static final Caller ADA = Caller.program("ada");

    /** A wrong key whose check takes until {@link #release}. */
    private static final String SLOW = "mk_slow";

    private final Set<String> live = new HashSet<>(Set.of("mk_ada", "mk_bob"));
    private final Semaphore entered = new Semaphore(0);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicLong nanos = new AtomicLong(-5);
    private final CredentialsAuthentication authentication =
            new CredentialsAuthentication(this::check, (shown, address) -> Optional.empty(), nanos::get);

    private Optional<Caller> check(String shown, String address) {
        if (shown.equals("mk_undecided")) {
            throw Refusal.unavailable("keys_unavailable", "the keys are not there");
        }
        if (shown.equals(SLOW)) {
            entered.release();
            try {
                assertThat(release.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return live.contains(shown) ? Optional.of(ADA) : Optional.empty();
    }

    private Caller show(String key, String address) {
        return authentication.authenticate(name -> name.equals("X-API-Key") ? key : null, address);
    }

    private void assertRefused(int status, String key, String address) {
        assertThatThrownBy(() -> show(key, address))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(status));
    }

    private void sendManyWrongKeys() {
        for (int i = 0; i < WrongCredentials.MOST; i++) {
            assertRefused(401, "mk_wrong" + i, BALANCER);
        }
    }

    /** Has as many wrong keys checked as may be at the same time, and does this meanwhile. */
    private void whileWrongKeysAreChecked(Runnable meanwhile) throws Exception {
        whileWrongKeysAreChecked(i -> BALANCER, meanwhile);
    }

    private void whileWrongKeysAreChecked(IntFunction<String> address, Runnable meanwhile) throws Exception {
        int count = WrongCredentials.MOST_AT_ONCE;
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> slow = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String from = address.apply(i);
                slow.add(threads.submit(() -> assertRefused(401, SLOW, from)));
            }
            assertThat(entered.tryAcquire(count, 2, TimeUnit.MINUTES)).isTrue();
            meanwhile.run();
            release.countDown();
            for (Future<?> one : slow) {
                one.get(2, TimeUnit.MINUTES);
            }
        } finally {
            release.countDown();
            threads.shutdownNow();
        }
    }

    @Test
    void manyWrongKeysOfOneAddressDoNotLockOutWhoIsNew() {
        sendManyWrongKeys();

        assertThat(show("mk_bob", BALANCER)).isEqualTo(ADA);
        assertRefused(401, "mk_wrong", BALANCER);
    }

    @Test
    void ofAnAddressWithManyWrongKeysOnlyAFewAreCheckedAtATime() throws Exception {
        assertThat(show("mk_ada", BALANCER)).isEqualTo(ADA);
        sendManyWrongKeys();

        whileWrongKeysAreChecked(() -> {
            assertRefused(429, "mk_bob", BALANCER);
            assertThat(show("mk_ada", BALANCER)).as("was accepted before").isEqualTo(ADA);
            assertThat(show("mk_bob", "10.0.0.2")).isEqualTo(ADA);
        });
        live.add("mk_new");
        assertThat(show("mk_new", BALANCER)).isEqualTo(ADA);
    }

    @Test
    void whoHasNotSentTooManyIsNotHeldUp() throws Exception {
        whileWrongKeysAreChecked(() -> assertThat(show("mk_bob", BALANCER)).isEqualTo(ADA));
    }

    @Test
    void aMinuteLaterTheAddressMaySendMoreAgain() throws Exception {
        sendManyWrongKeys();
        nanos.addAndGet(Duration.ofSeconds(61).toNanos());

        whileWrongKeysAreChecked(() -> assertThat(show("mk_bob", BALANCER)).isEqualTo(ADA));
    }

    /** Whoever has a network has all addresses of it. */
    @Test
    void addressesOfOneNetworkCountTogether() throws Exception {
        for (int i = 0; i < WrongCredentials.MOST; i++) {
            assertRefused(401, "mk_wrong" + i, "[2001:db8:0:7::" + Integer.toHexString(i) + "]");
        }

        whileWrongKeysAreChecked(i -> "2001:db8:0:7:ffff::" + i + "%eth0", () -> {
            assertRefused(429, "mk_bob", "2001:db8:0:7::beef");
            assertThat(show("mk_bob", "2001:db8:0:8::1")).isEqualTo(ADA);
        });
    }

    @Test
    void tokensForWhichTheKeysAreNotThereCountToo() throws Exception {
        for (int i = 0; i < WrongCredentials.MOST; i++) {
            assertRefused(503, "mk_undecided", BALANCER);
        }

        whileWrongKeysAreChecked(() -> assertRefused(429, "mk_undecided", BALANCER));
    }

    @Test
    void aKeyThatWasRevokedIsAWrongOneLikeOthers() throws Exception {
        assertThat(show("mk_ada", BALANCER)).isEqualTo(ADA);
        sendManyWrongKeys();
        live.remove("mk_ada");

        assertRefused(401, "mk_ada", BALANCER);
        whileWrongKeysAreChecked(() -> assertRefused(429, "mk_ada", BALANCER));
    }

    /** Otherwise a listener whose key was revoked could stay: who sends wrong keys all the time gets nothing but 429. */
    @Test
    void whoeverWasLetInIsAskedAboutWithoutBeingCounted() {
        assertThat(show("mk_ada", BALANCER)).isEqualTo(ADA);
        sendManyWrongKeys();
        live.remove("mk_ada");
        assertRefused(401, "mk_ada", BALANCER);

        for (int i = 0; i <= WrongCredentials.MOST; i++) {
            assertThatThrownBy(() -> authentication.authenticateAgain(
                            name -> name.equals("X-API-Key") ? "mk_ada" : null, "10.0.0.3"))
                    .isInstanceOfSatisfying(
                            Refusal.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(401));
        }
        assertThat(show("mk_bob", "10.0.0.3")).isEqualTo(ADA);
    }
}
