package dev.muster.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.access.AccessRefused;
import dev.muster.access.ApiKeyInfo;
import dev.muster.access.ApiKeys;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.CreatedKey;
import dev.muster.access.InvalidKeyRequest;
import dev.muster.access.KeyRequest;
import dev.muster.access.RotationRefused;
import dev.muster.access.Scope;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.NamePatterns;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseApiKeysTest {
    private static final KeyRequest REQUEST = KeyRequest.of("billing", Scope.WRITE);

    private final MemoryKeys store = new MemoryKeys(() -> 0);
    private final AtomicInteger changes = new AtomicInteger();
    private final ApiKeys keys = new DatabaseApiKeys(store, new TextCodec(), "node-1", changes::incrementAndGet);

    private static final class TextCodec implements JsonCodec {
        @Override
        public String write(@Nullable Object value) {
            return String.valueOf(value);
        }

        @Override
        public Object read(String json, Type type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void check(String json, Type type) {}
    }

    private static Caller caller(Scope scope, Optional<String> tenant) {
        return Caller.builder("jwt:ada", "Ada", scope)
                .auth(Auth.TOKEN)
                .tenant(tenant)
                .address(Optional.of("10.0.0.7"))
                .build();
    }

    @Test
    void noTextShowsTheKey() {
        CreatedKey created = keys.create(REQUEST);
        String secret = created.key().substring(16);

        assertThat(created.key())
                .matches("mk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}")
                .startsWith("mk_" + created.info().id());
        assertThat(List.of(
                        created,
                        KeyText.parse(created.key()).orElseThrow(),
                        store.audit,
                        store.findLive(created.info().id())))
                .allSatisfy(shown -> assertThat(shown.toString()).doesNotContain(secret));
        assertThat(keys.create(REQUEST).key()).isNotEqualTo(created.key());
    }

    @Test
    void everyChangeIsAuditedAndTold() {
        CreatedKey created = keys.create(REQUEST);
        CreatedKey successor = keys.as(caller(Scope.ADMIN, Optional.empty()), "req-1")
                .rotate(created.info().id(), Duration.ofDays(1));
        keys.as(caller(Scope.ADMIN, Optional.empty())).revoke(created.info().id());

        assertThat(changes).hasValue(3);
        assertThat(store.audit)
                .extracting(NewAuditEntry::action, NewAuditEntry::caller, NewAuditEntry::requestId)
                .containsExactly(
                        tuple("keys.create", "program:node-1", Optional.empty()),
                        tuple("keys.rotate", "jwt:ada", Optional.of("req-1")),
                        tuple("keys.revoke", "jwt:ada", Optional.empty()));
        assertThat(store.audit.get(1).details()).contains(successor.info().id());
        assertThat(store.audit)
                .extracting(NewAuditEntry::target)
                .containsOnly(created.info().id());
        assertThat(store.audit.get(2).address()).contains("10.0.0.7");
    }

    @Test
    void whoIsNoAdminChangesNothing() {
        String id = keys.create(REQUEST).info().id();
        for (Scope scope : List.of(Scope.READ, Scope.WRITE)) {
            ApiKeys theirs = keys.as(caller(scope, Optional.empty()));
            assertThatThrownBy(() -> theirs.create(REQUEST))
                    .isInstanceOf(AccessRefused.class)
                    .hasMessageContaining("'Ada' may not create keys: that needs the scope admin");
            assertThatThrownBy(() -> theirs.revoke(id)).isInstanceOf(AccessRefused.class);
            assertThatThrownBy(() -> theirs.rotate(id, Duration.ZERO)).isInstanceOf(AccessRefused.class);
        }
        assertThat(store.audit).hasSize(1);
    }

    @Test
    void anAdminOfATenantReachesKeysOfThatTenantOnly() {
        String ofNobody = keys.create(REQUEST).info().id();
        String ofOthers = keys.create(REQUEST.tenant("other")).info().id();
        String own = keys.create(REQUEST.tenant("acme")).info().id();
        ApiKeys theirs = keys.as(caller(Scope.ADMIN, Optional.of("acme")));

        assertThat(theirs.list()).extracting(ApiKeyInfo::id).containsExactly(own);
        for (String id : List.of(ofNobody, ofOthers)) {
            assertThat(theirs.find(id)).isEmpty();
            assertThat(theirs.revoke(id)).isFalse();
            assertThatThrownBy(() -> theirs.rotate(id, Duration.ZERO))
                    .isInstanceOfSatisfying(
                            RotationRefused.class,
                            e -> assertThat(e.reason()).isEqualTo(RotationRefused.Reason.UNKNOWN));
        }
        assertThatThrownBy(() -> theirs.create(REQUEST)).isInstanceOf(AccessRefused.class);
        assertThatThrownBy(() -> theirs.create(REQUEST.tenant("other"))).isInstanceOf(AccessRefused.class);
        assertThat(store.audit).hasSize(3);
        assertThat(theirs.create(REQUEST.tenant("acme")).info().tenant()).contains("acme");
        assertThat(theirs.revoke(own)).isTrue();
    }

    @Test
    void whoMayStartSomeNamesOnlyGetsNoKeyForOthers() {
        String ofAll = keys.create(REQUEST).info().id();
        ApiKeys theirs = keys.as(Caller.builder("jwt:ada", "Ada", Scope.ADMIN)
                .auth(Auth.TOKEN)
                .names(NamePatterns.of("mail_*", "report"))
                .build());

        assertThatThrownBy(() -> theirs.create(REQUEST))
                .isInstanceOf(AccessRefused.class)
                .hasMessage("'Ada' may create keys for names that it may start itself only: mail_*, report");
        assertThatThrownBy(() -> theirs.create(REQUEST.names(Set.of("report", "delete_customer"))))
                .isInstanceOf(AccessRefused.class);
        assertThatThrownBy(() -> theirs.rotate(ofAll, Duration.ZERO)).isInstanceOf(AccessRefused.class);
        assertThat(store.audit).hasSize(1);
        String own = theirs.create(REQUEST.names(Set.of("report"))).info().id();
        assertThat(theirs.rotate(own, Duration.ZERO).info().names()).isEqualTo(NamePatterns.of("report"));
        assertThat(theirs.create(REQUEST.names(Set.of())).info().names()).isEqualTo(NamePatterns.of());
    }

    @Test
    void anOverlapHasBounds() {
        String id = keys.create(REQUEST).info().id();

        assertThatThrownBy(() -> keys.rotate(id, Duration.ofSeconds(-1)))
                .isInstanceOf(InvalidKeyRequest.class)
                .hasMessageContaining("0s to 3650d");
        assertThatThrownBy(() -> keys.rotate(id, Duration.ofDays(3651))).isInstanceOf(InvalidKeyRequest.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", " a", "a ", "a\nb", "a\u001b[31m", "a\0", "a\u202eb", "a\u2028b", "\ud800"})
    void namesAndTenantsArePrintable(String text) {
        assertThatThrownBy(() -> KeyRequest.of(text, Scope.READ)).isInstanceOf(InvalidKeyRequest.class);
        assertThatThrownBy(() -> REQUEST.tenant(text)).isInstanceOf(InvalidKeyRequest.class);
    }

    @Test
    void requestsHaveBounds() {
        assertThat(KeyRequest.of("😀".repeat(100), Scope.READ).name()).hasSize(200);
        assertThatThrownBy(() -> KeyRequest.of("a".repeat(101), Scope.READ))
                .hasMessageContaining("1 to 100 printable characters");
        assertThatThrownBy(() -> REQUEST.roles(Set.of("Not A Role"))).isInstanceOf(InvalidName.class);
        assertThatThrownBy(() -> REQUEST.expiresIn(Duration.ofMillis(999))).hasMessageContaining("1s to 3650d");
        assertThatThrownBy(() -> REQUEST.expiresIn(Duration.ofDays(3651))).hasMessageContaining("1s to 3650d");
    }
}
