package dev.muster.document.internal;

import dev.muster.job.JobId;
import dev.muster.job.JobPage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a search for jobs.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JobPageDocument {
    private JobPageDocument() {}

    /** The jobs have all of their details. */
    public static Map<String, @Nullable Object> write(JobPage page) {
        return new JsonObjectWriter()
                .put("jobs", JsonObjectWriter.list(page.jobs(), JobDocument::write))
                .text("next", page.next())
                .put("searched_back_to", page.searchedBackTo())
                .done();
    }

    public static JobPage read(JsonObjectReader fields) {
        return new JobPage(
                fields.list("jobs").stream().map(JobDocument::read).toList(),
                fields.optionalParsed("next", JobId::of),
                fields.optionalInstant("searched_back_to"));
    }
}
