package dev.muster.spring.boot;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.spring.dashboard.DashboardApplication;
import dev.muster.spring.dashboard.DashboardApplication.Bank;
import dev.muster.testing.Program;
import dev.muster.testing.Sizes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The dashboard in the application's own web server, in the machine's Chromium, after a login on the application's own page. */
@OnceForBoth
class DashboardIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static Playwright playwright;
    private static Browser browser;

    @BeforeAll
    static void startChromium() {
        Path program = Program.CHROMIUM.require();
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        // As root it refuses to start with its sandbox.
        List<String> sandbox = System.getProperty("user.name").equals("root") ? List.of("--no-sandbox") : List.of();
        browser = playwright
                .chromium()
                .launch(new LaunchOptions()
                        .setExecutablePath(program)
                        .setArgs(Stream.concat(Stream.of("--disable-dev-shm-usage"), sandbox.stream())
                                .toList()));
        PlaywrightAssertions.setDefaultAssertionTimeout(SOON.toMillis());
    }

    @AfterAll
    static void stopChromium() {
        if (playwright != null) {
            playwright.close();
        }
    }

    /** A tab that notes what the browser complains about. */
    private static final class Tab implements AutoCloseable {
        final BrowserContext context = browser.newContext();
        final Page page = context.newPage();
        final List<String> problems = new CopyOnWriteArrayList<>();
        private final String address;

        Tab(String address) {
            this.address = address;
            context.setDefaultTimeout(SOON.toMillis());
            page.onConsoleMessage(message -> {
                if (List.of("error", "warning").contains(message.type())) {
                    problems.add(message.text() + " at " + message.location());
                }
            });
            page.onPageError(problems::add);
        }

        /** Opens the dashboard, and logs in on the page that the application shows instead. */
        void open(String user, String route) {
            page.navigate(address);
            page.locator("input[name=username]").fill(user);
            page.locator("input[name=password]").fill("secret");
            page.locator("button[type=submit]").click();
            page.waitForURL(url -> url.startsWith(address));
            page.locator("[data-test=live][data-state=live]").waitFor();
            // The application's own page has no icon.
            problems.removeIf(problem -> problem.contains("favicon.ico"));
            go(route);
        }

        void go(String route) {
            page.evaluate("route => { location.hash = route; }", route);
        }

        Locator find(String mark) {
            return page.locator("[data-test='" + mark + "']");
        }

        Locator status(String name) {
            return page.locator("main .head [data-status='" + name + "']");
        }

        @Override
        public void close() {
            context.close();
        }
    }

    /** Without a path of its own the application serves the same files; ShopIT asks for them without a browser. */
    static Stream<String> contextPaths() {
        return Sizes.full() ? Stream.of("", "/app") : Stream.of("/app");
    }

    @ParameterizedTest
    @MethodSource("contextPaths")
    void operatorsSeeJobsRetryThemAndWatchThem(String contextPath) {
        try (FreshDatabase database = FreshDatabase.migrated();
                ConfigurableApplicationContext context = SpringApplication.run(
                        DashboardApplication.class,
                        database.arguments(WithoutJpa.arguments(
                                "--spring.flyway.enabled=false", "--server.servlet.context-path=" + contextPath)))) {
            String address = "http://localhost:" + context.getEnvironment().getProperty("local.server.port")
                    + contextPath + "/ops/muster/";
            Jobs jobs = context.getBean(Jobs.class);
            JobId failed = jobs.enqueue(JobRequest.of("charge", 1));
            assertThat(jobs.await(failed, SOON).status()).isEqualTo(JobStatus.FAILED);

            try (Tab tab = new Tab(address)) {
                tab.open("ada", "#/jobs/" + failed);
                assertThat(tab.find("who")).containsText("ada");
                assertThat(tab.status("failed")).isVisible();
                tab.page.evaluate("() => { window.notReloaded = true; }");

                context.getBean(Bank.class).answer();
                tab.find("retry").click();
                tab.find("dialog-action").click();
                assertThat(tab.status("completed")).isVisible();
                assertThat(tab.page.locator("main")).containsText("charged 1");

                tab.go("#/jobs");
                assertThat(tab.page.locator("main")).containsText("charge");
                JobId another = jobs.enqueue(JobRequest.of("charge", 2));
                assertThat(tab.page.locator("main a[href*='" + another + "']").first())
                        .isVisible();
                assertThat(tab.page.evaluate("() => window.notReloaded"))
                        .as("the page was told of everything by events")
                        .isEqualTo(true);
                assertThat(tab.problems).isEmpty();
            }
            assertThat(database.column("SELECT DISTINCT caller FROM muster_audit"))
                    .containsExactly("user:ada");

            try (Tab tab = new Tab(address)) {
                tab.open("bob", "#/jobs/" + failed);
                assertThat(tab.status("completed")).isVisible();
                assertThat(tab.find("restriction")).containsText("read");
                assertThat(tab.find("retry")).hasCount(0);
                assertThat(tab.problems).isEmpty();

                tab.context.clearCookies();
                tab.go("#/");
                assertThat(tab.page.locator("body")).containsText("Your session has ended");
            }
        }
    }
}
