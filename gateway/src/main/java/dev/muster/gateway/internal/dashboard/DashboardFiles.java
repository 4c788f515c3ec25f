package dev.muster.gateway.internal.dashboard;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of the dashboard, each read once from the class path. Thread-safe. */
public final class DashboardFiles {
    private static final String PAGE = "index.html";
    private static final String PACKAGES = "npm/";

    /** Names without dots but the one before the ending, in folders without dots. */
    private static final Pattern NAME = Pattern.compile("(?:[a-z0-9-]+/){0,4}[a-z0-9-]+\\.(?:js|css|svg)");

    private static final Pattern IMPORT_MAP =
            Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

    /** Files that were asked for; there are no more than exist. */
    private static final Map<String, StoredFile> READ = new ConcurrentHashMap<>();

    private static final Map<String, String> PACKAGE_FOLDERS = packageFolders();
    private static final Map<String, String> HEADERS = Map.of(
            "Cache-Control",
            "no-cache",
            "Referrer-Policy",
            "no-referrer",
            "Vary",
            "Accept-Encoding",
            "Content-Security-Policy",
            policy());

    private DashboardFiles() {}

    /**
     * Answers a request for a file.
     *
     * @param path what stands behind {@code /assets/}; null for the page itself
     * @param header the headers of the request
     * @throws Refusal if there is no such file
     */
    public static Answer answer(@Nullable String path, UnaryOperator<@Nullable String> header) {
        StoredFile file = find(path);
        Map<String, String> headers = new LinkedHashMap<>(HEADERS);
        headers.put("ETag", file.tag());
        if (file.isKnownAs(header.apply("If-None-Match"))) {
            return new Answer(304, null, file.type(), headers);
        }
        if (!StoredFile.takesGzip(header.apply("Accept-Encoding"))) {
            return new Answer(200, file.bytes(), file.type(), headers);
        }
        headers.put("Content-Encoding", "gzip");
        return new Answer(200, file.gzipped(), file.type(), headers);
    }

    private static StoredFile find(@Nullable String path) {
        if (path != null && !NAME.matcher(path).matches()) {
            throw unknown();
        }
        String name = path == null ? PAGE : path;
        StoredFile known = READ.get(name);
        if (known != null) {
            return known;
        }
        byte[] bytes = read(name);
        if (bytes == null) {
            throw unknown();
        }
        StoredFile file = StoredFile.of(name, bytes);
        READ.put(name, file);
        return file;
    }

    private static Refusal unknown() {
        return Refusal.of(404, "not_found", "the dashboard has no such file");
    }

    private static byte @Nullable [] read(String name) {
        try (InputStream in = name.startsWith(PACKAGES)
                ? openOfPackage(name.substring(PACKAGES.length()))
                : DashboardFiles.class.getResourceAsStream(name)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable InputStream openOfPackage(String name) {
        int slash = name.indexOf('/');
        String folder = slash < 0 ? null : PACKAGE_FOLDERS.get(name.substring(0, slash));
        return folder == null ? null : loader().getResourceAsStream(folder + name.substring(slash + 1));
    }

    /** Where the jars have the files of Lit's packages, by the last part of the package's name: the folders have versions in their names. */
    private static Map<String, String> packageFolders() {
        Map<String, String> folders = new LinkedHashMap<>();
        try {
            for (URL url : Collections.list(loader().getResources("META-INF/importmap.json"))) {
                addFolders(url, folders);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        folders.keySet().retainAll(Set.of("lit", "lit-html", "lit-element", "reactive-element"));
        return folders;
    }

    private static void addFolders(URL importMap, Map<String, String> folders) throws IOException {
        try (InputStream in = importMap.openStream()) {
            Object tree = Json.read(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            if (tree instanceof Map<?, ?> map && map.get("imports") instanceof Map<?, ?> imports) {
                imports.forEach((name, address) -> {
                    String[] parts = String.valueOf(name).split("/");
                    if (String.valueOf(name).endsWith("/")) {
                        folders.putIfAbsent(parts[parts.length - 1], "META-INF/resources" + address);
                    }
                });
            }
        }
    }

    private static ClassLoader loader() {
        return DashboardFiles.class.getClassLoader();
    }

    private static String policy() {
        return "default-src 'none'; script-src 'self' 'sha256-" + hashOfImportMap()
                + "'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
                + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    }

    private static String hashOfImportMap() {
        byte[] page = read(PAGE);
        if (page == null) {
            throw new IllegalStateException("the class path has no page of the dashboard");
        }
        Matcher map = IMPORT_MAP.matcher(new String(page, StandardCharsets.UTF_8));
        if (!map.find()) {
            throw new IllegalStateException("the page of the dashboard has no import map");
        }
        return Base64.getEncoder().encodeToString(StoredFile.sha256(map.group(1).getBytes(StandardCharsets.UTF_8)));
    }
}
