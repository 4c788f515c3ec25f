package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.internal.config.DurationText;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import dev.muster.runtime.MusterException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses values on the command line; a wrong value is a usage error. */
public final class Values {
    private Values() {}

    public static final class OfDuration implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return read(text, DurationText::parse);
        }
    }

    public static final class OfPriority implements ITypeConverter<Priority> {
        @Override
        public Priority convert(String text) {
            return read(text, Priority::parse);
        }
    }

    public static final class OfStatus implements ITypeConverter<JobStatus> {
        @Override
        public JobStatus convert(String text) {
            return read(text, JobStatus::parse);
        }
    }

    public static final class OfJobId implements ITypeConverter<JobId> {
        @Override
        public JobId convert(String text) {
            return read(text, JobId::of);
        }
    }

    public static final class OfBatchId implements ITypeConverter<BatchId> {
        @Override
        public BatchId convert(String text) {
            return read(text, BatchId::of);
        }
    }

    /** A time with a zone. */
    static Instant instant(String option, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw CommandFailed.badInput(
                    option + " '" + text + "' is not a time with a zone; write 2030-01-31T08:00:00Z or …+02:00", e);
        }
    }

    private static <T> T read(String text, Function<String, T> reader) {
        try {
            return reader.apply(text);
        } catch (MusterException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
