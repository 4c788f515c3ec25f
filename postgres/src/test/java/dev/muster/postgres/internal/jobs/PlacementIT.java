package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.NodeStatus;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.contracts.internal.Nodes;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.Placement;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The database reads placements as nodes do, and explains those that nobody fits. */
class PlacementIT extends StoreOnFreshDatabase {
    private static final List<String> TERMS =
            List.of("gpu", "eu", "spot", "ssd", "zone=eu", "zone=us", "tier=a|b", "x/y.z=1");
    private static final List<String> NODES = List.of("n1", "n2", "n3", "a@b", "node with blanks", "ü&!=");

    private record Case(String text, List<String> capabilities, Map<String, String> labels, String node) {
        boolean fits() {
            return Placement.fits(text, capabilities, labels, node);
        }

        String labelsAsJson() {
            List<String> entries = new ArrayList<>();
            labels.forEach((key, value) -> entries.add("\"" + key + "\": \"" + value + "\""));
            return "{" + String.join(", ", entries) + "}";
        }
    }

    private static Case random(Random random) {
        List<String> capabilities = new ArrayList<>(some(random, TERMS, 0.5));
        capabilities.removeIf(term -> term.indexOf('=') >= 0);
        Map<String, String> labels = new TreeMap<>();
        for (String term : some(random, TERMS, 0.5)) {
            int equals = term.indexOf('=');
            if (equals > 0) {
                labels.put(term.substring(0, equals), term.substring(equals + 1));
            }
        }
        String text = random.nextBoolean() ? sensible(random) : garbage(random);
        return new Case(text, capabilities, labels, NODES.get(random.nextInt(NODES.size())));
    }

    private static TreeSet<String> some(Random random, List<String> of, double share) {
        TreeSet<String> some = new TreeSet<>();
        of.forEach(each -> {
            if (random.nextDouble() < share) {
                some.add(each);
            }
        });
        return some;
    }

    private static String sensible(Random random) {
        try {
            return new Placement(
                            some(random, TERMS, 0.15),
                            some(random, TERMS, 0.1),
                            some(random, NODES, random.nextBoolean() ? 0.3 : 0),
                            some(random, NODES, random.nextBoolean() ? 0.2 : 0))
                    .text();
        } catch (InvalidJob e) {
            return sensible(random);
        }
    }

    /** Any order of signs and words; nodes and the database have to agree about these, too. */
    private static String garbage(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i >= 0; i--) {
            text.append(
                    random.nextBoolean()
                            ? String.valueOf("&!@|~=".charAt(random.nextInt(6)))
                            : random.nextBoolean()
                                    ? TERMS.get(random.nextInt(TERMS.size()))
                                    : NODES.get(random.nextInt(NODES.size())));
        }
        return text.toString();
    }

    @Test
    void theDatabaseDecidesAsNodesDo() throws SQLException {
        Random random = new Random(Seeds.next(getClass()));
        List<Case> cases = new ArrayList<>();
        for (int i = 0; i < Sizes.of(2_000, 100_000); i++) {
            cases.add(random(random));
        }

        List<String> different = new ArrayList<>();
        int fitting = 0;
        try (Connection connection = database.connection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT ordinal, muster_fits(text, string_to_array(capabilities, ','), labels::jsonb, node),"
                                + " muster_misfits(text, string_to_array(capabilities, ','), labels::jsonb, node) = '{}'"
                                + " FROM unnest(?::text[], ?::text[], ?::text[], ?::text[])"
                                + " WITH ORDINALITY AS c (text, capabilities, labels, node, ordinal)")) {
            statement.setArray(
                    1, texts(connection, cases.stream().map(Case::text).toList()));
            statement.setArray(
                    2,
                    texts(
                            connection,
                            cases.stream()
                                    .map(c -> String.join(",", c.capabilities()))
                                    .toList()));
            statement.setArray(
                    3, texts(connection, cases.stream().map(Case::labelsAsJson).toList()));
            statement.setArray(
                    4, texts(connection, cases.stream().map(Case::node).toList()));
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                Case of = cases.get(rows.getInt(1) - 1);
                fitting += of.fits() ? 1 : 0;
                boolean explained = !Placement.isExpression(of.text()) || rows.getBoolean(3) == of.fits();
                if (rows.getBoolean(2) != of.fits() || !explained) {
                    different.add(of.toString());
                }
            }
        }

        assertThat(different).isEmpty();
        assertThat(fitting).as("both answers come up often").isBetween(cases.size() / 10, cases.size() * 9 / 10);
    }

    private static java.sql.Array texts(Connection connection, List<String> texts) throws SQLException {
        return connection.createArrayOf("text", texts.toArray());
    }

    private void node(String id, String capabilities, String labels) {
        store.nodes().join(Nodes.registration(id, UUID.randomUUID()), NodeStatus.ACTIVE, null, null);
        database.execute("UPDATE muster_nodes SET status = 'active', handlers = '{\"a\": {}}', capabilities = '{"
                + capabilities + "}', labels = '" + labels + "' WHERE id = '" + id + "'");
    }

    private String why(String placement) {
        JobId id = store.jobs()
                .enqueue(List.of(JobDraft.named("a").lane("q", placement).job()))
                .get(0);
        return store.jobReader().find(id).orElseThrow().waitingReason().orElseThrow();
    }

    @Test
    void whyNamesWhatEachNodeLacks() {
        node("n1", "gpu,spot", "{\"zone\": \"eu\"}");
        node("n2", "gpu", "{\"zone\": \"us\"}");
        node("n3", "", "{}");

        assertThat(why("gpu&zone=eu!spot@n1|n2"))
                .isEqualTo("no live node with a handler fits 'gpu&zone=eu!spot@n1|n2': n1 has spot; n2 lacks zone=eu;"
                        + " n3 lacks gpu and lacks zone=eu and is not one of the nodes");
        assertThat(why("~n1|n2|n3")).endsWith("n1 is excluded; n2 is excluded; n3 is excluded");
        assertThat(why("tpu")).isEqualTo("no live node with a handler has capability 'tpu'");
        assertThat(why("gpu&zone=eu")).startsWith("it is ready; 1 live node can run it");
        assertThat(why("!gpu")).startsWith("it is ready; 1 live node");
    }

    @Test
    void whyNamesTheFiveNodesThatComeClosest() {
        for (int i = 1; i <= 9; i++) {
            node("n" + i, i % 2 == 0 ? "gpu" : "", "{}");
        }

        assertThat(why("gpu&eu"))
                .isEqualTo(
                        "no live node with a handler fits 'eu&gpu'".replace("eu&gpu", "gpu&eu")
                                + ": n2 lacks eu; n4 lacks eu; n6 lacks eu; n8 lacks eu; n1 lacks gpu and lacks eu; and 4 more");
    }

    @Test
    void aLateJobThatNobodyFitsIsStuckForThat() {
        node("n1", "gpu", "{}");
        JobId fits = store.jobs()
                .enqueue(List.of(JobDraft.named("a").lane("q", "gpu!spot").job()))
                .get(0);
        JobId fitsNobody = store.jobs()
                .enqueue(List.of(JobDraft.named("a").lane("q", "gpu~n1").job()))
                .get(0);
        database.execute("UPDATE muster_jobs SET ready_at = ready_at - interval '2 minutes'");

        assertThat(database.column("SELECT id || ' ' || reason FROM muster_stuck"))
                .containsExactlyInAnyOrder(
                        fits + " it has been due for over a minute",
                        fitsNobody + " no live node with a handler fits its placement 'gpu~n1'");
    }
}
