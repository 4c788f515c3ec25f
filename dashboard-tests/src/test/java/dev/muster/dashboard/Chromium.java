package dev.muster.dashboard;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The machine's own Chromium, without a window. Nothing is downloaded. */
final class Chromium implements AutoCloseable {
    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    static Chromium start(Path program) {
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        List<String> args = new ArrayList<>(List.of("--disable-dev-shm-usage", "--force-color-profile=srgb"));
        if (System.getProperty("user.name").equals("root")) {
            // As root it refuses to start with its sandbox.
            args.add("--no-sandbox");
        }
        Browser browser = playwright
                .chromium()
                .launch(new LaunchOptions().setExecutablePath(program).setArgs(args));
        return new Chromium(playwright, browser);
    }

    /** A new tab in a browser that knows nothing yet. */
    Tab open(String address, Look look) {
        return new Tab(
                browser.newContext(new NewContextOptions()
                        .setViewportSize(look.width(), look.height())
                        .setColorScheme(look.scheme())
                        .setLocale("en-GB")
                        .setTimezoneId("UTC")),
                address);
    }

    @Override
    public void close() {
        Stream.<AutoCloseable>of(browser, playwright).forEach(one -> {
            try {
                one.close();
            } catch (Exception e) {
                throw new IllegalStateException("Chromium could not be closed", e);
            }
        });
    }
}
