package dev.muster.cli.jobs;

import dev.muster.config.DurationText;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Readers for values on the command line; what is wrong with one is bad usage. */
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

    private static <T> T read(String text, Function<String, T> reader) {
        try {
            return reader.apply(text);
        } catch (MusterException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
