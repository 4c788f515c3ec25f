package dev.muster.internal.process;

import dev.muster.internal.process.HandlerSource.Registered;
import dev.muster.job.JobHandler;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Builds handlers in a child process. An application comes first, because it knows how its objects are set up. */
final class HandlerFinder {
    private final HandlerSource source;
    private final String codecName;
    private final Map<String, Registered> apps = new LinkedHashMap<>();

    /** @param codecName the class of the node's codec */
    HandlerFinder(HandlerSource source, String codecName) {
        this.source = source;
        this.codecName = codecName;
    }

    /** The origin of the handler of this job. */
    Origin origin(String job, @Nullable String declaredIn) {
        List<String> from = new ArrayList<>();
        String broken = "";
        for (String app : source.apps()) {
            try {
                if (app(app).handlers().stream().anyMatch(handler -> isSame(handler, job, declaredIn))) {
                    from.add(app);
                }
            } catch (RuntimeException | LinkageError e) {
                broken = "; " + app + " failed in register: " + e;
            }
        }
        if (from.size() == 1) {
            return new Origin(from.get(0), null);
        }
        if (from.size() > 1) {
            throw new MusterException("several applications register it: " + String.join(", ", from));
        }
        if (declaredIn == null) {
            throw new MusterException(
                    "it is not an annotated method of an object, and no MusterApp registers it" + broken);
        }
        Origin origin = new Origin(null, declaredIn);
        handler(job, origin);
        return origin;
    }

    private static boolean isSame(JobHandler handler, String job, @Nullable String declaredIn) {
        return handler.name().equals(job)
                && handler.body().declaredIn().map(Class::getName).equals(Optional.ofNullable(declaredIn));
    }

    JobHandler handler(String job, Origin origin) {
        List<JobHandler> handlers =
                origin.app() != null ? app(origin.app()).handlers() : source.ofObject(create(origin.type()));
        return handlers.stream()
                .filter(handler -> handler.name().equals(job))
                .findFirst()
                .orElseThrow(() -> new MusterException("the child process finds no handler of job '" + job + "' in "
                        + (origin.app() != null ? origin.app() : origin.type())));
    }

    private Registered app(String className) {
        Registered known = apps.get(className);
        if (known == null) {
            known = source.ofApp(className);
            apps.put(className, known);
        }
        return known;
    }

    private static Object create(@Nullable String className) {
        if (className == null) {
            throw new MusterException("neither an application nor a class is named");
        }
        try {
            Class<?> type = Class.forName(className);
            if (!Modifier.isPublic(type.getModifiers())) {
                throw new MusterException("the class " + className + " is not public");
            }
            return type.getConstructor().newInstance();
        } catch (NoSuchMethodException e) {
            throw new MusterException("the class " + className + " has no public constructor without parameters", e);
        } catch (ClassNotFoundException e) {
            throw new MusterException("the class " + className + " is not in a file of the class path", e);
        } catch (ReflectiveOperationException | LinkageError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new MusterException("an object of the class " + className + " could not be created: " + cause, e);
        }
    }

    /** A codec of the same class as the node's. */
    JsonCodec json(Origin origin) {
        Optional<JsonCodec> own =
                origin.app() == null ? Optional.empty() : app(origin.app()).json();
        return own.filter(codec -> codec.getClass().getName().equals(codecName))
                .or(() -> ServiceLoader.load(JsonCodec.class).stream()
                        .filter(found -> found.type().getName().equals(codecName))
                        .map(ServiceLoader.Provider::get)
                        .findFirst())
                .orElseGet(this::createCodec);
    }

    private JsonCodec createCodec() {
        try {
            return (JsonCodec) create(codecName);
        } catch (MusterException | ClassCastException e) {
            throw new MusterException("it needs the JsonCodec that this node has: " + e.getMessage(), e);
        }
    }

    /** Where a handler comes from: either an application or a class of handlers. */
    record Origin(@Nullable String app, @Nullable String type) {}
}
