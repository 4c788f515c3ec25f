package dev.muster.internal.leader;

import dev.muster.config.LeaderConfig;
import dev.muster.internal.leader.LeaderStore.RoleRow;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import dev.muster.telemetry.Telemetry;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node's view of one role: its own term, and until when it may count itself as the leader. */
final class RoleLeadership implements Leadership {
    private static final Logger log = LoggerFactory.getLogger(RoleLeadership.class);

    /**
     * @param own this node's term, if it has one
     * @param until when the term ends unless renewed, by the node's clock; a margin before the lease in the database
     * @param vacantSince when this node first saw that nobody led, or when another leader's lease runs out unless it is renewed;
     *     null if not known
     * @param heardSince when another leader's node sent its last heartbeat; null if not known
     */
    private record LocalView(
            @Nullable LeaderTerm own,
            long until,
            @Nullable Long vacantSince,
            @Nullable Long heardSince) {

        static final LocalView UNKNOWN = new LocalView(null, 0, null, null);

        LocalView withoutOwn() {
            return new LocalView(null, 0, vacantSince, heardSince);
        }
    }

    private final LeaderRole role;
    private final LeaderStore store;
    private final LeaderConfig config;
    private final TelemetryListeners telemetry;
    private final Clock clock;
    private final Runnable doubted;
    private volatile LocalView view = LocalView.UNKNOWN;

    /** @param doubted called when this node finds out between two checks that it does not lead */
    RoleLeadership(
            LeaderRole role,
            LeaderStore store,
            LeaderConfig config,
            TelemetryListeners telemetry,
            Clock clock,
            Runnable doubted) {
        this.role = role;
        this.store = store;
        this.config = config;
        this.telemetry = telemetry;
        this.clock = clock;
        this.doubted = doubted;
    }

    @Override
    public LeaderRole role() {
        return role;
    }

    @Override
    public Optional<LeaderTerm> current() {
        LocalView now = view;
        return now.own() != null && clock.nanos() - now.until() < 0 ? Optional.of(now.own()) : Optional.empty();
    }

    @Override
    public <T> T fenced(FencedWork<T> work) {
        LeaderTerm term = current()
                .orElseThrow(() -> new StaleLeader("this node does not lead " + role.text() + "; nothing was written"));
        try {
            return store.fenced(term, config.lease().dividedBy(2), work);
        } catch (StaleLeader e) {
            if (stepDown(term, "its term " + term.term() + " is over")) {
                doubted.run();
            }
            throw e;
        }
    }

    @Override
    public Duration vacantFor() {
        return since(view.vacantSince());
    }

    @Override
    public Duration leaderSilentFor() {
        return since(view.heardSince());
    }

    private Duration since(@Nullable Long moment) {
        return moment == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, clock.nanos() - moment));
    }

    /** This node's check failed, so it knows nothing about other leaders. */
    void unknown() {
        change(before -> new LocalView(before.own(), before.until(), null, null));
    }

    /** @param asked when the check was sent: the lease in its answer began no earlier */
    void seen(RoleRow standing, long asked) {
        long now = clock.nanos();
        // If the lease ran out just before this check renewed it, the check's own snapshot still sees it as expired.
        LeaderTerm holder = standing.live() || standing.mine() ? standing.holder() : null;
        if (standing.mine() && holder != null) {
            LeaderTerm before = change(any -> new LocalView(holder, trustedUntil(asked), null, null));
            if (!holder.equals(before)) {
                log.info("node={} leads role={} term={} again", holder.node(), role.text(), holder.term());
            }
        } else {
            stepDown(
                    holder != null
                            ? "the row says that " + holder.node() + " leads"
                            : standing.holder() == null
                                    ? "the row says that nobody leads"
                                    : "its lease ran out, or the database is on another server");
            change(before -> holder == null
                    ? new LocalView(null, 0, vacantSince(before, now), null)
                    : new LocalView(
                            null,
                            0,
                            now + standing.left().toNanos(),
                            now - standing.silent().toNanos()));
        }
    }

    private static long vacantSince(LocalView before, long now) {
        Long since = before.vacantSince();
        return since != null && since - now < 0 ? since : now;
    }

    void won(LeaderTerm term, long asked) {
        change(before -> new LocalView(term, trustedUntil(asked), null, null));
        log.info("node={} leads role={} term={} timeline={}", term.node(), role.text(), term.term(), term.timeline());
    }

    private long trustedUntil(long asked) {
        return asked + config.lease().minus(config.margin()).toNanos();
    }

    void stepDown(String reason) {
        LeaderTerm own = view.own();
        if (own != null) {
            stepDown(own, reason);
        }
    }

    /** Gives up the role on purpose, so without a warning in the log. */
    void resign() {
        LeaderTerm own = change(LocalView::withoutOwn);
        if (own != null) {
            log.info("node={} gives up role={} term={}", own.node(), role.text(), own.term());
        }
    }

    /** Ends this term; a later term of this node stays. */
    private boolean stepDown(LeaderTerm term, String reason) {
        LeaderTerm own = change(before -> term.equals(before.own()) ? before.withoutOwn() : before);
        if (!term.equals(own)) {
            return false;
        }
        log.warn("node={} no longer leads role={}: {}", term.node(), role.text(), reason);
        return true;
    }

    /**
     * Changes the view. Two threads change it one after the other, so that telemetry sees the changes in their order.
     *
     * @return this node's term before
     */
    private synchronized @Nullable LeaderTerm change(UnaryOperator<LocalView> change) {
        LeaderTerm before = view.own();
        LocalView changed = change.apply(view);
        view = changed;
        if (telemetry.isEnabled() && !Objects.equals(before, changed.own())) {
            tell(before, false);
            tell(changed.own(), true);
        }
        return before;
    }

    private void tell(@Nullable LeaderTerm term, boolean leads) {
        if (term != null) {
            telemetry.leading(new Telemetry.Leadership(role.text(), term.timeline(), term.term(), leads));
        }
    }
}
