package dev.muster.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.muster.testing.Sizes;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every screen, on a desk and on a phone, light and dark: nothing breaks, nothing is cut off, everybody can read it. */
class ScreensIT extends InBrowser {
    private static final int MOST_BYTES = 300_000;
    private static final long MOST_BYTES_OF_A_PICTURE = 200_000;

    /** Both widths and both schemes, or all of them with each other. */
    private static final List<Look> LOOKS =
            Sizes.full() ? List.of(Look.values()) : List.of(Look.DESK_LIGHT, Look.PHONE_DARK);

    private static TestDatabase database;
    private static Cluster shop;
    private static Seed seed;

    @BeforeAll
    static void plant() {
        database = TestDatabase.fromEnv();
        shop = Cluster.on(database);
        seed = Seed.plant(shop);
    }

    @AfterAll
    static void close() {
        if (shop != null) {
            shop.close();
            database.close();
        }
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void everyScreenIsWholeInEveryLook() {
        List<String> found = new ArrayList<>();
        for (Look look : LOOKS) {
            Tab tab = open(seed.gateway, look).go("#/").awaitLive();
            tab.noteStates();
            for (Map.Entry<String, String> screen : routes(look).entrySet()) {
                String where = screen.getKey() + " " + look + ": ";
                tab.go(screen.getValue()).settle();
                problems(tab, screen.getKey().equals("unknown")).forEach(one -> found.add(where + one));
                tab.screenshot("screens/" + screen.getKey() + "-" + look.name().toLowerCase(Locale.ROOT));
            }
            assertThat(tab.states()).as("no screen loses the connection").hasSize(1);
        }
        assertThat(found).isEmpty();
    }

    /** The screens to look at in this look: in a quick run each screen is seen once, every second one by phone. */
    private static Map<String, String> routes(Look look) {
        Map<String, String> all = seed.routes();
        if (Sizes.full()) {
            return all;
        }
        Map<String, String> some = new LinkedHashMap<>();
        int number = 0;
        for (Map.Entry<String, String> screen : all.entrySet()) {
            if (LOOKS.get(number++ % LOOKS.size()) == look) {
                some.put(screen.getKey(), screen.getValue());
            }
        }
        return some;
    }

    private static List<String> problems(Tab tab, boolean mayBeMissing) {
        List<String> all = new ArrayList<>(tab.problems());
        if (mayBeMissing) {
            all.removeIf(one -> one.contains("404"));
        }
        Page page = tab.page();
        int width = ((Number) page.evaluate("() => document.documentElement.scrollWidth - innerWidth")).intValue();
        if (width > 0) {
            all.add("scrolls sideways by " + width + " px");
        }
        for (Rule rule : new AxeBuilder(page).setLegacyMode(true).analyze().getViolations()) {
            if (List.of("serious", "critical").contains(rule.getImpact())) {
                rule.getNodes()
                        .forEach(node -> all.add(rule.getId() + " (" + rule.getImpact() + "): " + node.getHtml()));
            }
        }
        return all;
    }

    private static final String DEAD_NODE = """
            INSERT INTO muster_nodes (id, incarnation, name, status, last_heartbeat, heartbeat_interval, started_at)
            VALUES ('0-dead', gen_random_uuid(), 'shop', 'dead', muster_clock() - interval '30 minutes', interval '5 s', muster_clock() - interval '1 hour')
            """;

    /** The left edges of the texts of the axes, if a value is as long as this one. */
    private static final String AXES = """
            async (value) => {
              const chart = document.querySelector("muster-chart[label='Latency']");
              chart.points = chart.points.map((point) => ({ ...point, run_p95_ms: value }));
              await chart.updateComplete;
              return [...chart.querySelectorAll('.axis')].map((text) => text.getBBox().x);
            }""";

    @Test
    void whatTheyShowIsMeantAsItIsRead() {
        Tab tab = open(seed.gateway, Look.DESK_LIGHT);

        tab.go("#/workflows/" + seed.compensatedRun).settle();
        PlaywrightAssertions.assertThat(tab.find("compensation")).hasText("undone by release");
        tab.go("#/workflows/" + seed.completedRun).settle();
        tab.page().locator("[data-test=step] b").getByText("ship").waitFor();
        assertThat(tab.find("compensation").count()).as("nothing will undo it").isZero();
        tab.go("#/workflows/" + seed.waitingRun).settle();
        Locator event = tab.find("step").filter(new Locator.FilterOptions().setHasText("confirmed"));
        PlaywrightAssertions.assertThat(event).containsText("waits for an event");
        PlaywrightAssertions.assertThat(event).containsText("due");
        tab.go("#/workflows/" + seed.confirmedRun).settle();
        PlaywrightAssertions.assertThat(event).containsText("completed");
        PlaywrightAssertions.assertThat(event).not().containsText("waits for");
        PlaywrightAssertions.assertThat(event).not().containsText("due");

        tab.go("#/limits").settle();
        PlaywrightAssertions.assertThat(tab.find("places")).hasText(Pattern.compile("\\d+ / 5"));

        tab.page()
                .route(
                        url -> url.contains("/_api/concurrency_groups"),
                        route -> route.fulfill(new Route.FulfillOptions()
                                .setContentType("application/json")
                                .setBody(
                                        "{\"concurrency_groups\": [{\"group\": \"name/mail\", \"name\": \"mail\", \"rate\": 100,"
                                                + " \"rate_ms\": 60000, \"running\": 3, \"waiting\": 9}]}")));
        tab.go("#/").settle();
        tab.go("#/limits").settle();
        PlaywrightAssertions.assertThat(tab.find("group")).containsText("100 in");
        PlaywrightAssertions.assertThat(tab.find("group")).not().containsText("at once");
        tab.page().unrouteAll();

        shop.database().execute(DEAD_NODE);
        tab.go("#/nodes").settle();
        PlaywrightAssertions.assertThat(tab.page().locator("main .cards > section"))
                .hasCount(3);
        PlaywrightAssertions.assertThat(
                        tab.page().locator("main .cards > section").last())
                .containsText("0-dead");
        PlaywrightAssertions.assertThat(tab.find("node-id")).hasCount(2);

        tab.go("#/").settle();
        tab.page().locator("muster-chart[label='Latency'] .axis").first().waitFor();
        List<?> edges = (List<?>) tab.page().evaluate(AXES, 4_800_000);
        assertThat(edges).hasSizeGreaterThan(2);
        assertThat(edges).allSatisfy(x -> assertThat(((Number) x).doubleValue()).isNotNegative());
        tab.assertNoProblems();
    }

    @Test
    void theTabsOfTheJobsLeaveOutCountsThatAreNotKnownAndRunsOfWorkflows() {
        Tab tab = open(seed.gateway, Look.DESK_LIGHT);
        tab.go("#/jobs?status=cancelled").settle();
        PlaywrightAssertions.assertThat(tab.find("tab-cancelled")).hasText(Pattern.compile("cancelled\\s*0"));

        tab.go("#/jobs?status=failed").settle();
        tab.page().locator("main [data-row]").first().waitFor();
        assertThat(tab.page().locator("main").innerText()).doesNotContain("workflow:");

        tab.page()
                .route(
                        url -> url.contains("/_api/jobs/counts"),
                        route -> route.fulfill(new Route.FulfillOptions()
                                .setContentType("application/json")
                                .setBody("{\"counts\": {\"failed\": {\"count\": 0, \"exact\": false},"
                                        + " \"completed\": {\"count\": 7, \"exact\": false}}}")));
        PlaywrightAssertions.assertThat(tab.find("tab-completed")).hasText(Pattern.compile("completed\\s*7\\+"));
        PlaywrightAssertions.assertThat(tab.find("tab-failed")).hasText("failed");
        tab.page().unrouteAll();
        tab.assertNoProblems();
    }

    @Test
    void theFirstLoadIsSmall() {
        Tab tab = open(seed.gateway, Look.DESK_LIGHT);

        tab.go("#/").settle();

        int bytes = ((Number) tab.page()
                        .evaluate(
                                "() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                                        + ".reduce((sum, one) => sum + one.transferSize, 0)"))
                .intValue();
        Object paint = tab.page()
                .evaluate(
                        "() => Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)");
        System.out.println(
                "The overview's first load: " + bytes + " bytes; first contentful paint after " + paint + " ms");
        assertThat(bytes).isBetween(10_000, MOST_BYTES);
        tab.assertNoProblems();
    }

    /** Makes the pictures of docs/images: copy them from target/screenshots when the overview has changed. */
    @Test
    void theOverviewLightAndDark() throws IOException {
        for (Look look : List.of(Look.DESK_LIGHT, Look.DESK_DARK)) {
            Tab tab = open(seed.gateway, look).go("#/").settle();
            tab.page().locator("main svg").first().waitFor();
            Path picture = tab.screenshot(look == Look.DESK_LIGHT ? "dashboard-light" : "dashboard-dark");

            assertThat(Files.size(picture)).isBetween(10_000L, MOST_BYTES_OF_A_PICTURE);
            tab.assertNoProblems();
        }
    }
}
