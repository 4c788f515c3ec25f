package dev.muster.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One tab with the dashboard. It notes everything that should not happen in any test. */
final class Tab implements AutoCloseable {
    /** Reports what the content security policy forbids, also where the console would not. */
    private static final String WATCH = """
            window.violations = [];
            document.addEventListener('securitypolicyviolation', (e) => window.violations.push(e.violatedDirective + ' ' + e.blockedURI));
            """;

    /** Notes each state of the page's own indicator. */
    private static final String NOTE_STATES = """
            () => {
              const shown = document.querySelector('[data-test=live]');
              window.states = [shown.dataset.state];
              new MutationObserver(() => window.states.push(shown.dataset.state)).observe(shown, { attributes: true });
            }""";

    private static final double PATIENCE_MS = 120_000;

    private final BrowserContext context;
    private final String address;
    private final Page page;
    private final List<String> problems = new CopyOnWriteArrayList<>();

    /** @param address of the dashboard, with the slash at its end */
    Tab(BrowserContext context, String address) {
        this.context = context;
        this.address = address;
        context.setDefaultTimeout(PATIENCE_MS);
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
        context.addInitScript(WATCH);
        this.page = context.newPage();
        page.onConsoleMessage(message -> {
            if (List.of("error", "warning").contains(message.type())) {
                problems.add("console: " + message.text() + " at " + message.location());
            }
        });
        page.onPageError(error -> problems.add("script: " + error));
        page.onDialog(dialog -> {
            problems.add("dialog: " + dialog.message());
            dialog.dismiss();
        });
        page.onRequest(this::checkOrigin);
        page.onRequestFailed(request -> {
            // The page itself ends requests whose answer nobody needs any more.
            if (!request.failure().contains("ERR_ABORTED")) {
                problems.add("failed: " + request.method() + " " + request.url() + " " + request.failure());
            }
        });
    }

    private void checkOrigin(Request request) {
        if (!request.url().startsWith(address) && !request.url().startsWith("data:")) {
            problems.add("another origin: " + request.url());
        }
    }

    Page page() {
        return page;
    }

    BrowserContext context() {
        return context;
    }

    /** Opens the page, or goes to another route of it. */
    Tab go(String route) {
        if (page.url().startsWith(address)) {
            page.evaluate("route => { location.hash = route; }", route);
        } else {
            page.navigate(address + route);
        }
        return this;
    }

    /** Waits until the screen shows data, or says that there is none. */
    Tab settle() {
        page.locator("main h1, main [data-test=error], main [data-test=not-found]")
                .first()
                .waitFor();
        page.waitForFunction("() => !document.querySelector('main [data-test=loading]')");
        page.waitForFunction("() => document.fonts.ready.then(() => true)");
        return this;
    }

    /** What is marked with this {@code data-test}. */
    Locator find(String mark) {
        return page.locator("[data-test='" + mark + "']");
    }

    /** What is marked with this {@code data-test} and is about the thing with this id. */
    Locator find(String mark, String id) {
        return page.locator("[data-test='" + mark + "'][data-id='" + id + "']");
    }

    /** Presses the button that does what the open dialog asks for, and waits until it has been done. */
    void confirm() {
        find("dialog-action").click();
        find("dialog").waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
    }

    Tab awaitLive() {
        page.locator("[data-test=live][data-state=live]").waitFor();
        return this;
    }

    /** Notes from now on whether the page is live. */
    void noteStates() {
        page.evaluate(NOTE_STATES);
    }

    /** All states since {@link #noteStates}, the first one included. */
    List<?> states() {
        return (List<?>) page.evaluate("() => window.states");
    }

    /** The status that the head of the page shows. */
    Locator status(String name) {
        return page.locator("main .head [data-status='" + name + "']");
    }

    String logIn(String key) {
        find("login").waitFor();
        page.locator("#login-key").fill(key);
        page.locator("#login-key").press("Enter");
        return key;
    }

    /** @param name of a file below target/screenshots */
    Path screenshot(String name) {
        Path file = Path.of("target", "screenshots", name + ".png");
        page.screenshot(new ScreenshotOptions().setPath(file));
        return file;
    }

    /** Everything that should not have happened so far. */
    List<String> problems() {
        List<?> violations = (List<?>) page.evaluate("() => window.violations");
        violations.forEach(one -> problems.add("forbidden by the policy: " + one));
        page.evaluate("() => { window.violations = []; }");
        List<String> all = List.copyOf(problems);
        problems.clear();
        return all;
    }

    void assertNoProblems() {
        assertThat(problems()).isEmpty();
    }

    /** Problems whose text contains one of these are expected. */
    void assertNoProblemsBut(String... expected) {
        assertThat(problems()).allSatisfy(one -> assertThat(List.of(expected)).anyMatch(one::contains));
    }

    @Override
    public void close() {
        context.close();
    }
}
