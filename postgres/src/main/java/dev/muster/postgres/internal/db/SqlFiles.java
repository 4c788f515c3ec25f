package dev.muster.postgres.internal.db;

import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.job.store.EnginePhrase;
import dev.muster.internal.runtime.Names;
import dev.muster.job.RetryPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements by name, qualified for one schema. */
public final class SqlFiles {
    /** The columns of a job that go into history unchanged; written {kept} in the files. */
    private static final String KEPT =
            "id, run_at, created_at, timeout_ms, priority, attempt, max_attempts, max_crashes,"
                    + " name, queue, capability, key, args, metadata, tags, expires_at, progress, progress_message,"
                    + " depends_on, depends_on_any, batch_id, concurrency_group, trace";

    /**
     * Leaves out the jobs that drive runs of workflows: to people they are no jobs, but a part of their runs, and nobody changes them as jobs.
     * Written {no_driver} in the files.
     */
    public static final String NO_DRIVER = "name NOT LIKE '" + DriverJobs.PREFIX + "%'";

    private static final Pattern PHRASE = Pattern.compile("\\{phrase:([a-z_]+)\\}");
    private static final Pattern INCLUDE = Pattern.compile("\\{([a-z]+(?:/[a-z_]+)+)}");

    /** The statements of all programs in this JVM that use the same schema, such as the nodes of a test. */
    private static final Map<String, Map<String, String>> LOADED_BY_SCHEMA = new ConcurrentHashMap<>();

    private final String schema;
    private final UnaryOperator<String> change;
    private final Map<String, String> loaded;

    public SqlFiles(String schema) {
        this.schema = Names.requireSchema(schema);
        this.change = UnaryOperator.identity();
        this.loaded = LOADED_BY_SCHEMA.computeIfAbsent(schema, s -> new ConcurrentHashMap<>());
    }

    /** @param change applied to every statement, for example to shorten a time limit */
    public SqlFiles(String schema, UnaryOperator<String> change) {
        this.schema = Names.requireSchema(schema);
        this.change = change;
        this.loaded = new ConcurrentHashMap<>();
    }

    String schema() {
        return schema;
    }

    /** The text of {@code name}, such as "jobs/claim", without comments. */
    public String get(String name) {
        return loaded.computeIfAbsent(
                name,
                n -> change.apply(withPhrases(include(withoutComments(read(n + ".sql"))))
                        .replace("{schema}", schema)
                        .replace("{kept}", KEPT)
                        .replace("{no_driver}", NO_DRIVER)
                        .replace("{default_max_crashes}", String.valueOf(RetryPolicy.DEFAULT_MAX_CRASHES))));
    }

    /** Puts in the texts of the phrases that a file names, such as {phrase:put_back}. */
    private static String withPhrases(String sql) {
        return PHRASE.matcher(sql)
                .replaceAll(found -> Matcher.quoteReplacement(
                        "'" + EnginePhrase.named(found.group(1)).text().replace("'", "''") + "'"));
    }

    /**
     * The same with texts put in where the file names them, such as {filter}.
     *
     * @param parts by the names that the file gives them
     */
    public String get(String name, Map<String, String> parts) {
        String text = get(name);
        for (Map.Entry<String, String> part : parts.entrySet()) {
            String placeholder = "{" + part.getKey() + "}";
            if (!text.contains(placeholder)) {
                throw new IllegalArgumentException("the statement " + name + " does not contain " + placeholder);
            }
            text = text.replace(placeholder, part.getValue());
        }
        return text;
    }

    /** Includes the files that this one names in braces, such as {jobs/parts/requeue_lost}, and the files that these name. */
    private static String include(String sql) {
        return INCLUDE.matcher(sql)
                .replaceAll(found -> Matcher.quoteReplacement(include(withoutComments(read(found.group(1) + ".sql")))));
    }

    public static String read(String path) {
        try (InputStream in = SqlFiles.class.getResourceAsStream("/dev/muster/postgres/" + path)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no statement " + path);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text without the lines that are comments. */
    public static String withoutComments(String sql) {
        return sql.replaceAll("(?m)^\\s*--.*$\\n?", "").strip();
    }
}
