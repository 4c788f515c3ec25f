package dev.muster.internal.overview;

import dev.muster.cluster.LeaderInfo;
import dev.muster.leader.LeaderRole;
import dev.muster.overview.Finding.Severity;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Without leaders crons do not tick, jobs of dead nodes are not taken over, and nothing old is removed. */
final class NoLeaderCheck implements Check {

    @Override
    public String name() {
        return "no_leader";
    }

    @Override
    public String question() {
        return "Is every role led?";
    }

    @Override
    public Duration threshold() {
        return Duration.ofSeconds(30);
    }

    @Override
    public Severity severity() {
        return Severity.CRITICAL;
    }

    @Override
    public String advice() {
        return "start a node with the role scheduler";
    }

    @Override
    public String page() {
        return "nodes";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        Map<String, LeaderInfo> rows = cluster.leaders().stream()
                .collect(Collectors.toMap(LeaderInfo::role, Function.identity(), (one, other) -> one));
        return Arrays.stream(LeaderRole.values())
                .map(LeaderRole::text)
                .map(role -> problem(cluster, role, rows.get(role)))
                .flatMap(Optional::stream)
                .toList();
    }

    /** @param row null if there is none */
    private Optional<Problem> problem(ClusterReading cluster, String role, @Nullable LeaderInfo row) {
        if (row == null) {
            return Optional.of(new Problem("Nobody has ever led the role " + role, page()));
        }
        // A leader that gives its role up is gone from the row; one that died stays in it.
        Duration vacant = cluster.since(row.node().isPresent() ? row.expiresAt() : row.since());
        return row.isHeld() || vacant.compareTo(threshold()) < 0
                ? Optional.empty()
                : Optional.of(
                        new Problem("Nobody has led the role " + role + " for " + DurationWords.of(vacant), page()));
    }
}
