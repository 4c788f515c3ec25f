package dev.muster.document.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.KeyRequest;
import dev.muster.event.Event;
import dev.muster.job.Cancellation;
import dev.muster.job.QueueLimit;
import dev.muster.workflow.RunStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DocumentsTest {
    private static final Pattern NAMED_BY_MUSTER = Pattern.compile(
            "\"(status|apparent_status|trigger|misfire|overlap|source|severity|auth|scope|lifecycle|outcome)\":\\s*\"\\w+\"");

    static Stream<Cancellation> cancellations() {
        return Stream.of(Cancellation.values());
    }

    @ParameterizedTest
    @MethodSource("dev.muster.document.internal.SampleDocuments#forms")
    <T> void whatWasWrittenAndReadIsEqual(SampleDocuments.Form<T> form) {
        for (T thing : List.of(form.full(), form.bare())) {
            Map<String, @Nullable Object> document = form.write().apply(thing);
            T read = form.read().apply(JsonObjectReader.read(Json.write(document)));

            assertThat(Json.write(form.write().apply(read))).isEqualTo(Json.write(document));
            assertThat(form.read().apply(JsonObjectReader.of(document))).isEqualTo(read);
            if (form.unwritten().isEmpty()) {
                assertThat(read).isEqualTo(thing);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.muster.document.internal.SampleDocuments#forms")
    <T> void everyComponentIsWritten(SampleDocuments.Form<T> form) {
        String document = Json.write(form.write().apply(form.full()));

        RecordChanges.of(form.full()).forEach((component, changed) -> {
            if (form.unwritten().stream().noneMatch(component::startsWith)) {
                @SuppressWarnings("unchecked")
                T other = (T) changed;
                assertThat(Json.write(form.write().apply(other)))
                        .as("the document of a %s with another %s", form, component)
                        .isNotEqualTo(document);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("dev.muster.document.internal.SampleDocuments#forms")
    <T> void readersIgnoreWhatTheyDoNotKnow(SampleDocuments.Form<T> form) {
        if (form.full() instanceof QueueLimit || form.full() instanceof KeyRequest) {
            return;
        }
        Map<String, @Nullable Object> document =
                new LinkedHashMap<>(form.write().apply(form.full()));
        T known = form.read().apply(JsonObjectReader.of(document));
        document.put("of_a_later_version", 1);

        assertThat(form.read().apply(JsonObjectReader.of(document))).isEqualTo(known);
    }

    /** SampleDocuments.A newer gateway may answer with them. */
    @ParameterizedTest
    @MethodSource("dev.muster.document.internal.SampleDocuments#forms")
    <T> void readersLiveWithTextsThatTheyDoNotKnow(SampleDocuments.Form<T> form) {
        if (form.full() instanceof KeyRequest) {
            return;
        }
        String written = Json.write(form.write().apply(form.full()));
        String newer = NAMED_BY_MUSTER.matcher(written).replaceAll("\"$1\":\"of_tomorrow\"");
        T read = form.read().apply(JsonObjectReader.read(newer));

        if (!newer.equals(written) && !Json.write(form.write().apply(read)).contains("of_tomorrow")) {
            assertThat(Json.write(form.write().apply(read))).containsAnyOf("\"unknown\"", "\"other\"");
        }
    }

    @Test
    void aRunChangesToAStatusThatIsNotKnown() {
        JsonObjectReader event = JsonObjectReader.read("{\"id\":\"" + SampleDocuments.A
                + "\",\"workflow_name\":\"order\",\"status\":\"of_tomorrow\",\"changed_at\":\"" + SampleDocuments.T1
                + "\"}");

        assertThat(EventDocument.read("run", event))
                .contains(new Event.RunChanged(SampleDocuments.A, "order", RunStatus.UNKNOWN, SampleDocuments.T1));
    }

    @ParameterizedTest
    @MethodSource("cancellations")
    void cancellationsAreTheirName(Cancellation cancellation) {
        Map<String, @Nullable Object> document = CancellationDocument.write(cancellation);

        assertThat(CancellationDocument.read(JsonObjectReader.read(Json.write(document))))
                .isEqualTo(cancellation);
    }

    @Test
    void aLimitOfZeroIsNoMissingLimit() {
        assertThat(QueueLimitDocument.read(JsonObjectReader.read("{\"max_running\":0}")))
                .isEqualTo(new QueueLimit(OptionalInt.of(0), Optional.empty()));
    }
}
