package dev.muster.internal.leader;

import dev.muster.config.LeaderConfig;
import dev.muster.internal.cluster.DatabaseContact;
import dev.muster.internal.cluster.DatabasePolls;
import dev.muster.internal.leader.LeaderStore.Candidate;
import dev.muster.internal.leader.LeaderStore.RoleRow;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.Loop;
import dev.muster.internal.runtime.PollAlignment;
import dev.muster.internal.runtime.Service;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's part in the elections: it reads the leaders' rows, renews the roles it leads and takes over roles without a
 * leader. A node that may not lead only reads. One thread at a time makes a check; its findings are swapped in atomically.
 */
public final class Election implements Service {
    private static final Logger log = LoggerFactory.getLogger(Election.class);

    /** When to try again to win a free role: a transaction of its last leader may still lock the row for a moment. */
    private static final Duration SOON = Duration.ofMillis(200);

    /** How long after the end of the leader's lease a candidate checks again, so as not to come too early. */
    private static final Duration JUST_AFTER = Duration.ofMillis(50);

    /** How long after the end of the lease a node that may not lead checks: a candidate has had time to take over. */
    private static final Duration SHORT_CHECK_INTERVAL = Duration.ofMillis(500);

    private static final String NOBODY_LEADS = "nobody leads the scheduler: no cron fires until a node with the role"
            + " scheduler (node.mode auto, or scheduler among node.roles) is up";

    private static final Duration ASIDE = Duration.ofMinutes(1);

    private final LeaderStore store;
    private final String node;
    private final Supplier<UUID> incarnation;
    private final Set<LeaderRole> roles;
    private final LeaderConfig config;
    private final Runnable won;
    private final DatabaseContact contact;
    private final PollAlignment alignment;
    private final Clock clock;
    private final Map<LeaderRole, RoleLeadership> leaderships = new EnumMap<>(LeaderRole.class);
    private final Loop loop = new Loop("election", this::tick);
    private volatile boolean nobodyLeads;
    private BooleanSupplier fit = () -> true;
    private boolean tookPart;
    private boolean stopped;
    private boolean aside;
    private long asideUntil;
    private long answeredSince;
    private boolean answered;

    /**
     * This node as a candidate.
     *
     * @param incarnation its current incarnation; when it changes, its terms end
     * @param roles what it may lead; with none it only reads the rows
     * @param won called when it has become a leader
     */
    public record Self(String node, Supplier<UUID> incarnation, Set<LeaderRole> roles, Runnable won) {}

    /** @param polls told of every answer, because a node may send only these checks between two heartbeats */
    public Election(
            LeaderStore store,
            Self self,
            LeaderConfig config,
            DatabasePolls polls,
            TelemetryListeners telemetry,
            Clock clock) {
        if (config.lease().compareTo(config.renew()) <= 0) {
            throw new MusterException("leader.lease (" + config.lease().toMillis() + " ms) must be longer than"
                    + " leader.renew (" + config.renew().toMillis() + " ms)");
        }
        this.store = store;
        this.node = self.node();
        this.incarnation = self.incarnation();
        this.roles = Set.copyOf(self.roles());
        this.config = config;
        this.won = self.won();
        this.contact = polls.contact();
        this.alignment = polls.alignment();
        this.clock = clock;
        for (LeaderRole role : LeaderRole.values()) {
            leaderships.put(role, new RoleLeadership(role, store, config, telemetry, clock, loop::wake));
        }
        store.onVacancy(loop::wake);
    }

    /**
     * Lets this node lead only while it can do a leader's work. A node that can renew its leadership but not do the work, because
     * its connection pool is exhausted for example, gives up its roles for a minute so that another node can lead.
     */
    public synchronized Election onlyWhile(BooleanSupplier fit) {
        this.fit = fit;
        return this;
    }

    @Override
    public String name() {
        return "election";
    }

    /** This node's view of one role. */
    public Leadership leadership(LeaderRole role) {
        return leaderships.get(role);
    }

    /**
     * Makes the first check. From then on this node takes over roles that no other node leads.
     *
     * @throws MusterException if the cluster's leaders were elected by another strategy
     */
    @Override
    public synchronized void start() {
        List<RoleRow> roleRows = check();
        refuseOtherStrategy(roleRows);
        loop.start();
    }

    private void refuseOtherStrategy(List<RoleRow> roleRows) {
        for (RoleRow row : roleRows) {
            LeaderConfig.Strategy other = row.strategy();
            LeaderTerm holder = row.holder();
            boolean differs = other != null && other != config.strategy();
            if (differs && row.live() && holder != null && roles.contains(row.role())) {
                stop();
                throw new MusterException("leader.strategy = " + word(config.strategy()) + " here, but node "
                        + holder.node() + " leads " + row.role().text() + " by " + word(other)
                        + "; set leader.strategy to " + word(other)
                        + " as on the other nodes, or stop all nodes to change it");
            }
        }
    }

    private static String word(LeaderConfig.Strategy strategy) {
        return strategy.name().toLowerCase(Locale.ROOT);
    }

    /** Checks now, and returns whether this node leads afterwards. */
    public boolean tryNow(LeaderRole role) {
        check();
        return leadership(role).isLeader();
    }

    private Duration tick() {
        List<RoleRow> roleRows = check();
        reportVacancy();
        Duration next = roleRows.stream().map(this::untilNextCheck).reduce(config.checkInterval(), Durations::shorter);
        boolean leads = leaderships.values().stream().anyMatch(Leadership::isLeader);
        return alignment.align(leads ? Durations.shorter(next, config.renew()) : next);
    }

    /** Sooner than usual if the role is free, or will be before the next usual check. */
    private Duration untilNextCheck(RoleRow row) {
        boolean candidate = roles.contains(row.role()) && !aside;
        if (row.mine() || leadership(row).isLeader()) {
            return config.checkInterval();
        }
        if (row.winnable() && candidate) {
            return SOON;
        }
        if (row.live()) {
            return row.left().plus(candidate ? JUST_AFTER : SHORT_CHECK_INTERVAL);
        }
        // A candidate may be taking over at this moment.
        return leadership(row).vacantFor().compareTo(SHORT_CHECK_INTERVAL.multipliedBy(4)) < 0
                ? SHORT_CHECK_INTERVAL
                : config.checkInterval();
    }

    /** Jobs run without a leader but crons do not fire, and nothing else would report that. */
    private void reportVacancy() {
        boolean vacant = leadership(LeaderRole.SCHEDULER).vacantFor().compareTo(config.lease()) >= 0;
        if (vacant && !nobodyLeads) {
            log.warn("node={} {}", node, NOBODY_LEADS);
        } else if (nobodyLeads && !vacant) {
            log.info("node={} the scheduler has a leader again", node);
        }
        nobodyLeads = vacant;
    }

    private RoleLeadership leadership(RoleRow row) {
        return leaderships.get(row.role());
    }

    /** If the check fails, this node does not count as the leader; the next check may find that it still is. */
    private synchronized List<RoleRow> check() {
        if (stopped) {
            return List.of();
        }
        try {
            tookPart = true;
            standAsideIfUnfit();
            Candidate self = self();
            long asked = clock.nanos();
            List<RoleRow> roleRows = store.check(self);
            contact.answered(asked);
            noteAnswer(asked);
            for (RoleRow row : roleRows) {
                leadership(row).seen(row, asked);
                if (row.winnable() && self.roles().contains(row.role())) {
                    contest(self, row);
                }
            }
            return roleRows;
        } catch (RuntimeException | Error e) {
            answered = false;
            leaderships.values().forEach(leadership -> {
                leadership.stepDown("the check failed: " + e.getMessage());
                leadership.unknown();
            });
            if (e instanceof DatabaseUnavailable) {
                contact.lost();
            }
            throw e;
        }
    }

    private void noteAnswer(long asked) {
        if (!answered) {
            answered = true;
            answeredSince = asked;
        }
    }

    /**
     * Gives up the roles if this node cannot do a leader's work although the database answers its checks. If the checks fail too,
     * the database is away for all nodes, and giving up would not help.
     */
    private void standAsideIfUnfit() {
        long now = clock.nanos();
        if (aside && (asideUntil - now <= 0 || fit.getAsBoolean() && nobodyLeads())) {
            aside = false;
        }
        boolean inTouch = answered && now - answeredSince > config.lease().toNanos();
        if (aside || roles.isEmpty() || !inTouch || fit.getAsBoolean()) {
            return;
        }
        aside = true;
        asideUntil = now + ASIDE.toNanos();
        boolean led = leaderships.values().stream().anyMatch(Leadership::isLeader);
        leaderships.values().forEach(leadership -> leadership.stepDown("this node cannot do a leader's duties"));
        giveUp();
        if (led) {
            log.warn("node={} gives up leading for {} s: it cannot do a leader's duties", node, ASIDE.toSeconds());
        }
    }

    /** If all other nodes gave up for the same reason, the first one that can lead again takes over before its minute is over. */
    private boolean nobodyLeads() {
        return leaderships.values().stream()
                .anyMatch(leadership -> leadership.vacantFor().compareTo(SHORT_CHECK_INTERVAL.multipliedBy(4)) >= 0);
    }

    private void contest(Candidate self, RoleRow row) {
        long asked = clock.nanos();
        store.takeOver(self, row.role()).ifPresent(term -> {
            leadership(row).won(term, asked);
            won.run();
        });
    }

    private Candidate self() {
        return new Candidate(node, incarnation.get(), aside ? Set.of() : roles, config);
    }

    /** Gives up this node's roles, so that another node can take over at once, and ends this node's part in elections. */
    @Override
    public void stop() {
        loop.stop();
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
            leaderships.values().forEach(RoleLeadership::resign);
            if (tookPart && !roles.isEmpty()) {
                giveUp();
            }
        }
    }

    /** Releases all roles: even if this node no longer counts itself as the leader, the row may still name it. */
    private void giveUp() {
        try {
            store.release(self(), roles);
        } catch (MusterException e) {
            log.warn(
                    "node={} could not give up its roles; their leases run out by themselves: {}",
                    node,
                    e.getMessage());
        }
    }

    /** A missing leader does not make this node unhealthy, but the health check reports it. */
    @Override
    public Health health() {
        Health health = loop.health();
        return health.ok() && nobodyLeads ? new Health(true, NOBODY_LEADS) : health;
    }
}
