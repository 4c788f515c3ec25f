package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.internal.access.AuditStore;
import dev.muster.internal.access.NewAuditEntry;
import dev.muster.internal.access.TimeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An entry is there before its action begins, and its outcome is written once. */
abstract class AuditStoreContract extends PortContract {
    private static final Duration DAY = Duration.ofDays(1);

    private AuditStore audit() {
        return store().port(AuditStore.class);
    }

    private static NewAuditEntry entry(String caller, String action, String target) {
        return NewAuditEntry.of(Caller.program(caller), action, target, "node-1");
    }

    private long begin(String caller, String action, String target) {
        return audit().begin(entry(caller, action, target));
    }

    private AuditEntry only() {
        assertThat(audit().list(AuditQuery.newest())).hasSize(1);
        return audit().list(AuditQuery.newest()).get(0);
    }

    @Test
    void anEntryHasAllThatIsKnownBeforeTheAction() {
        Caller caller = Caller.builder("key:abc", "Billing – «é»", Scope.ADMIN)
                .auth(Auth.KEY)
                .tenant(Optional.of("acme"))
                .address(Optional.of("10.0.0.7"))
                .build();
        Instant before = store().port(TimeStore.class).now();

        long id = audit().begin(NewAuditEntry.of(caller, "queues.pause", "emails", "node-1")
                .details("{\"why\": \"'quoted'\"}")
                .requestId("req-1"));

        assertThat(only()).satisfies(entry -> {
            assertThat(entry.id()).isEqualTo(id);
            assertThat(entry.at()).isBetween(before, before.plusSeconds(60));
            assertThat(entry.caller()).isEqualTo("key:abc");
            assertThat(entry.callerName()).isEqualTo("Billing – «é»");
            assertThat(entry.address()).contains("10.0.0.7");
            assertThat(entry.tenant()).contains("acme");
            assertThat(entry.action()).isEqualTo("queues.pause");
            assertThat(entry.target()).isEqualTo("emails");
            assertThat(entry.details()).isEqualTo("{\"why\": \"'quoted'\"}");
            assertThat(entry.requestId()).contains("req-1");
            assertThat(entry.node()).isEqualTo("node-1");
            assertThat(entry.outcome()).isEmpty();
        });
    }

    @Test
    void theOutcomeIsWrittenOnce() {
        long id = begin("ada", "queues.pause", "emails");

        audit().end(id, "refused: no such queue");
        audit().end(id, AuditStore.DONE);
        audit().end(id + 1, AuditStore.DONE);

        assertThat(only().outcome()).contains("refused: no such queue");
    }

    @Test
    void anEntryWithoutAnOutcomeCanBeRemoved() {
        long refused = begin("ada", "queues.pause", "emails");
        long ended = begin("ada", "queues.resume", "emails");
        audit().end(ended, AuditStore.DONE);

        audit().remove(refused);
        audit().remove(ended);
        audit().remove(ended + 1);

        assertThat(only().id()).isEqualTo(ended);
    }

    /** Whoever sends something strange is in the audit too. */
    @Test
    void noTextOfACallerKeepsAnEntryOut() {
        String strange = "a\0b'\"\\" + "x".repeat(10_000);

        long id = audit().begin(NewAuditEntry.of(Caller.program(strange), strange, strange, strange)
                .details(strange)
                .requestId(strange));
        audit().end(id, "failed: " + strange);

        assertThat(only()).satisfies(entry -> {
            assertThat(entry.target()).startsWith("a\uFFFDb'\"\\x").hasSize(500).endsWith("…");
            assertThat(entry.details()).isEqualTo("{\"left_out_characters\": " + strange.length() + "}");
            assertThat(entry.outcome().orElseThrow()).startsWith("failed: a").hasSize(1_000);
        });
    }

    @Test
    void entriesAreListedFromTheNewestOn() {
        long[] ids = new long[7];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = begin("ada", "queues.pause", "queue-" + i);
        }
        AuditQuery pages = AuditQuery.newest().limit(3);

        assertThat(audit().list(pages)).extracting(AuditEntry::id).containsExactly(ids[6], ids[5], ids[4]);
        assertThat(audit().list(pages.before(ids[4])))
                .extracting(AuditEntry::id)
                .containsExactly(ids[3], ids[2], ids[1]);
        assertThat(audit().list(pages.before(ids[1])))
                .extracting(AuditEntry::id)
                .containsExactly(ids[0]);
        assertThat(audit().list(pages.before(ids[0]))).isEmpty();
    }

    @Test
    void filtersHoldTogether() {
        long pause = begin("ada", "queues.pause", "emails");
        long resume = begin("ada", "queues.resume", "emails");
        long other = begin("bob", "queues.pause", "reports");
        AuditQuery all = AuditQuery.newest();

        assertThat(audit().list(all.caller("program:ada")))
                .extracting(AuditEntry::id)
                .containsExactly(resume, pause);
        assertThat(audit().list(all.action("queues.pause")))
                .extracting(AuditEntry::id)
                .containsExactly(other, pause);
        assertThat(audit().list(all.target("emails")))
                .extracting(AuditEntry::id)
                .containsExactly(resume, pause);
        assertThat(audit().list(all.caller("program:ada").action("queues.pause").target("emails")))
                .extracting(AuditEntry::id)
                .containsExactly(pause);
        assertThat(audit().list(all.caller("program:bob").target("emails"))).isEmpty();
        assertThat(audit().list(all.target("a\0b"))).isEmpty();
    }

    @Test
    void oldEntriesAreForgottenAFewAtATime() {
        for (int i = 0; i < 1_005; i++) {
            begin("ada", "queues.pause", "emails");
        }
        advance(DAY);
        long young = begin("ada", "queues.resume", "emails");
        assertThat(forget(DAY.plusHours(1))).isFalse();
        assertThat(audit().list(AuditQuery.newest().limit(1_000))).hasSize(1_000);

        assertThat(forget(DAY.minusHours(1))).as("there is more").isTrue();
        assertThat(audit().list(AuditQuery.newest())).hasSize(6);
        assertThat(forget(DAY.minusHours(1))).isFalse();

        assertThat(only().id()).isEqualTo(young);
    }

    private boolean forget(Duration retain) {
        return inTransaction(tx -> audit().forget(tx, retain));
    }
}
