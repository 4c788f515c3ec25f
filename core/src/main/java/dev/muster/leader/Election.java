package dev.muster.leader;

import dev.muster.cluster.DatabaseContact;
import dev.muster.config.LeaderConfig;
import dev.muster.leader.LeaderStore.Candidate;
import dev.muster.leader.LeaderStore.Standing;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.Loop;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.PollAlignment;
import dev.muster.runtime.Service;
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
 * This node's part in every election: looks at the rows, renews what it leads, takes what is to be had. A node that
 * may not lead only looks. All checks are on one thread at a time; what they find is swapped in one go.
 */
public final class Election implements Service {
    private static final Logger log = LoggerFactory.getLogger(Election.class);

    /** A role that is to be had may be locked for a moment by what its last leader left open. */
    private static final Duration SOON = Duration.ofMillis(200);

    /** A candidate looks so long after a lease has run out, so as not to come too early. */
    private static final Duration JUST_AFTER = Duration.ofMillis(50);

    /** Whoever may not lead looks when a candidate has had time to take over. */
    private static final Duration A_MOMENT = Duration.ofMillis(500);

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
    private final PollAlignment cadence;
    private final Clock clock;
    private final Map<LeaderRole, RoleLeadership> reigns = new EnumMap<>(LeaderRole.class);
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
     * @param incarnation of this node at the moment; one that changes ends its reigns
     * @param roles what this node may lead; none: it only looks
     * @param won told when this node has become a leader
     * @param contact told of every answer: a node that only looks hears from the database this way
     */
    public Election(
            LeaderStore store,
            String node,
            Supplier<UUID> incarnation,
            Set<LeaderRole> roles,
            LeaderConfig config,
            Runnable won,
            DatabaseContact contact,
            PollAlignment cadence,
            Clock clock) {
        if (config.lease().compareTo(config.renew()) <= 0) {
            throw new MusterException("leader.lease (" + config.lease().toMillis() + " ms) must be longer than"
                    + " leader.renew (" + config.renew().toMillis() + " ms)");
        }
        this.store = store;
        this.node = node;
        this.incarnation = incarnation;
        this.roles = Set.copyOf(roles);
        this.config = config;
        this.won = won;
        this.contact = contact;
        this.cadence = cadence;
        this.clock = clock;
        for (LeaderRole role : LeaderRole.values()) {
            reigns.put(role, new RoleLeadership(role, store, config, clock, loop::wake));
        }
        store.onVacancy(loop::wake);
    }

    /**
     * Lets this node lead only while it is fit to: one that can renew its leadership and do none of its duties, such as with
     * an empty pool, gives it up for a minute, so that another may lead.
     */
    public synchronized Election onlyWhile(BooleanSupplier fit) {
        this.fit = fit;
        return this;
    }

    @Override
    public String name() {
        return "election";
    }

    /** This node's part in one role. */
    public Leadership leadership(LeaderRole role) {
        return reigns.get(role);
    }

    /**
     * Looks for the first time, and leads from then on what nobody else does.
     *
     * @throws MusterException if the cluster's leaders were elected by another strategy
     */
    @Override
    public synchronized void start() {
        List<Standing> standings = check();
        refuseOtherStrategy(standings);
        loop.start();
    }

    private void refuseOtherStrategy(List<Standing> standings) {
        for (Standing standing : standings) {
            LeaderConfig.Strategy other = standing.strategy();
            LeaderTerm holder = standing.holder();
            boolean differs = other != null && other != config.strategy();
            if (differs && standing.live() && holder != null && roles.contains(standing.role())) {
                stop();
                throw new MusterException("leader.strategy = " + word(config.strategy()) + " here, but node "
                        + holder.node() + " leads " + standing.role().text() + " by " + word(other)
                        + "; set leader.strategy to " + word(other)
                        + " as on the other nodes, or stop all nodes to change it");
            }
        }
    }

    private static String word(LeaderConfig.Strategy strategy) {
        return strategy.name().toLowerCase(Locale.ROOT);
    }

    /** Looks now, and tells whether this node leads afterwards. */
    public boolean tryNow(LeaderRole role) {
        check();
        return leadership(role).isLeader();
    }

    private Duration tick() {
        List<Standing> standings = check();
        reportVacancy();
        Duration next = standings.stream().map(this::untilNextLook).reduce(config.checkInterval(), Election::shorter);
        boolean leads = reigns.values().stream().anyMatch(Leadership::isLeader);
        return cadence.align(leads ? shorter(next, config.renew()) : next);
    }

    /** Sooner than usual if the role is to be had, or will be before the next usual look. */
    private Duration untilNextLook(Standing standing) {
        boolean candidate = roles.contains(standing.role()) && !aside;
        if (standing.mine() || reign(standing).isLeader()) {
            return config.checkInterval();
        }
        if (standing.winnable() && candidate) {
            return SOON;
        }
        if (standing.live()) {
            return standing.left().plus(candidate ? JUST_AFTER : A_MOMENT);
        }
        // Someone may just be taking over.
        return reign(standing).vacantFor().compareTo(A_MOMENT.multipliedBy(4)) < 0 ? A_MOMENT : config.checkInterval();
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Work goes on without a leader; crons do not, and nothing else would say so. */
    private void reportVacancy() {
        boolean vacant = leadership(LeaderRole.SCHEDULER).vacantFor().compareTo(config.lease()) >= 0;
        if (vacant && !nobodyLeads) {
            log.warn("node={} {}", node, NOBODY_LEADS);
        } else if (nobodyLeads && !vacant) {
            log.info("node={} the scheduler is led again", node);
        }
        nobodyLeads = vacant;
    }

    private RoleLeadership reign(Standing standing) {
        return reigns.get(standing.role());
    }

    /** On any doubt the node does not lead; the next check may find that it still does. */
    private synchronized List<Standing> check() {
        if (stopped) {
            return List.of();
        }
        try {
            tookPart = true;
            standAsideIfUnfit();
            Candidate self = self();
            long asked = clock.nanos();
            List<Standing> standings = store.check(self);
            contact.answered(asked);
            noteAnswer(asked);
            for (Standing standing : standings) {
                reign(standing).seen(standing, asked);
                if (standing.winnable() && self.roles().contains(standing.role())) {
                    contest(self, standing);
                }
            }
            return standings;
        } catch (RuntimeException | Error e) {
            answered = false;
            reigns.values().forEach(reign -> {
                reign.stepDown("the check failed: " + e.getMessage());
                reign.unknown();
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

    /** What fails together with the checks says nothing about this node: the database is away, and comes back for all. */
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
        boolean led = reigns.values().stream().anyMatch(Leadership::isLeader);
        reigns.values().forEach(reign -> reign.stepDown("this node cannot do a leader's duties"));
        giveUp();
        if (led) {
            log.warn("node={} gives up leading for {} s: it cannot do a leader's duties", node, ASIDE.toSeconds());
        }
    }

    /** The others may stand aside for the same reason: whoever is fit first takes over. */
    private boolean nobodyLeads() {
        return reigns.values().stream().anyMatch(reign -> reign.vacantFor().compareTo(A_MOMENT.multipliedBy(4)) >= 0);
    }

    private void contest(Candidate self, Standing standing) {
        long asked = clock.nanos();
        store.takeOver(self, standing.role()).ifPresent(term -> {
            reign(standing).won(term, asked);
            won.run();
        });
    }

    private Candidate self() {
        return new Candidate(node, incarnation.get(), aside ? Set.of() : roles, config);
    }

    /** Gives up what this node leads, so that another takes over at once, and takes part no more. */
    @Override
    public void stop() {
        loop.stop();
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
            reigns.values().forEach(RoleLeadership::resign);
            if (tookPart && !roles.isEmpty()) {
                giveUp();
            }
        }
    }

    /** All roles: a node that doubts its leadership may still have it on record. */
    private void giveUp() {
        try {
            store.release(self(), roles);
        } catch (MusterException e) {
            log.warn("node={} could not give up what it led; that runs out by itself: {}", node, e.getMessage());
        }
    }

    /** A node that may only work is well without a leader, but says so. */
    @Override
    public Health health() {
        Health health = loop.health();
        return health.ok() && nobodyLeads ? new Health(true, NOBODY_LEADS) : health;
    }
}
