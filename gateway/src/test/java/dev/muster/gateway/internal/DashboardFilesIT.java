package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.gateway.internal.GatewayNode.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How the gateway serves the page and the files of the dashboard. */
class DashboardFilesIT {
    @RegisterExtension
    static final SharedGateway SHARED = SharedGateway.with();

    private final GatewayNode gateway = SHARED.gateway();

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Pattern ADDRESS = Pattern.compile("(?:href|src)=\"([^\"]+)\"");
    private static final Pattern IMPORT = Pattern.compile("(?:from|import)\\s*\\(?\\s*['\"]([^'\"\\s]+)['\"]");
    private static final Map<String, String> PACKAGES = Map.of(
            "lit", "assets/npm/lit/index.js",
            "lit-html", "assets/npm/lit-html/lit-html.js",
            "@lit/reactive-element", "assets/npm/reactive-element/reactive-element.js");

    private static HttpResponse<byte[]> get(GatewayNode gateway, String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(gateway.uri(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return CLIENT.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new IllegalStateException(path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void thePageNeedsNoKeyAndAllowsNoForeignScript() {
        Response page = gateway.send("GET", "/", null, null);

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
        assertThat(page.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(page.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(page.header("Content-Security-Policy"))
                .matches("default-src 'none'; script-src 'self' 'sha256-[A-Za-z0-9+/]{43}='; style-src 'self';"
                        + " connect-src 'self'; img-src 'self' data:;"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        assertThat(page.body())
                .doesNotContain("style=", "onclick", "http://", "https://")
                .containsOnlyOnce("<script type=\"importmap\">");
    }

    @Test
    void aFileThatTheBrowserHasIsNotSentAgain() throws IOException {
        HttpResponse<byte[]> plain = get(gateway, "/assets/app.js");
        String tag = plain.headers().firstValue("ETag").orElseThrow();
        HttpResponse<byte[]> known = get(gateway, "/assets/app.js", "If-None-Match", "\"other\", " + tag);
        HttpResponse<byte[]> gzipped = get(gateway, "/assets/app.js", "Accept-Encoding", "br, gzip");

        assertThat(known.statusCode()).isEqualTo(304);
        assertThat(known.body()).isEmpty();
        assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(gzipped.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(gzipped.headers().firstValue("Vary")).contains("Accept-Encoding");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(gzipped.body())).readAllBytes())
                .isEqualTo(plain.body());
    }

    @Test
    void noNameLeadsOutOfTheFolders() {
        for (String path : List.of(
                "/assets/nothing.js",
                "/assets/",
                "/assets/index.html",
                "/assets/DashboardFiles.class",
                "/assets/screens",
                "/assets/npm/lit",
                "/assets/npm/javalin/index.js",
                "/assets/..%2f..%2fApp.js",
                "/assets/%2e%2e/%2e%2e/app.js",
                "/assets/npm/lit/..%2f..%2fimportmap.json",
                "/assets/app.js%00.js",
                "/assets//app.js",
                "/assets/npm/lit/a/b/c/d/e/f.js")) {
            assertThat(RawHttp.send(
                                    gateway.port(),
                                    "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .status())
                    .as(path)
                    .isIn(400, 404);
        }
    }

    /** A missing file would show only as an empty page in a browser. */
    @Test
    void everyFileThatThePageNeedsIsThereAndTheyAreSmall() {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        Deque<String> open = new ArrayDeque<>();
        Matcher addresses = ADDRESS.matcher(new String(get(gateway, "/").body(), StandardCharsets.UTF_8));
        while (addresses.find()) {
            open.add(addresses.group(1));
        }
        while (!open.isEmpty()) {
            String path = open.remove();
            if (!sizes.containsKey(path)) {
                HttpResponse<byte[]> file = get(gateway, "/" + path);
                assertThat(file.statusCode()).as(path).isEqualTo(200);
                sizes.put(
                        path,
                        get(gateway, "/" + path, "Accept-Encoding", "gzip").body().length);
                if (path.endsWith(".js")) {
                    Matcher imports = IMPORT.matcher(new String(file.body(), StandardCharsets.UTF_8));
                    while (imports.find()) {
                        open.add(resolved(path, imports.group(1)));
                    }
                }
            }
        }
        assertThat(sizes).containsKeys("assets/npm/lit-html/lit-html.js", "assets/app.js", "assets/style.css");
        assertThat(sizes.values().stream().mapToInt(size -> size).sum()).isLessThan(120_000);
    }

    private static String resolved(String from, String specifier) {
        if (specifier.startsWith(".")) {
            return URI.create(from).resolve(specifier).toString();
        }
        String whole = PACKAGES.get(specifier);
        return whole != null ? whole : "assets/npm/" + specifier.replace("@lit/", "");
    }

    @Test
    void jsonRpcKeepsItsPath() {
        assertThat(gateway.send("POST", "/", null, "{}").status()).isEqualTo(401);
        assertThat(gateway.send("PUT", "/", null, "{}").status()).isEqualTo(405);
    }
}
