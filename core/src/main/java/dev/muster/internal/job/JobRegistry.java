package dev.muster.internal.job;

import dev.muster.job.JobHandler;
import dev.muster.runtime.MusterException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The handlers of a node, by name. Fixed once built. */
public final class JobRegistry {
    private final Map<String, JobHandler> handlers;

    public JobRegistry(Collection<JobHandler> handlers) {
        this.handlers = new TreeMap<>(handlers.stream().collect(Collectors.toMap(JobHandler::name, h -> h, (a, b) -> {
            throw new MusterException("two handlers are registered for job '" + a.name() + "', " + origin(a) + " and "
                    + origin(b) + ": a job has one handler, so give one of them another name, or do not register it");
        })));
    }

    private static String origin(JobHandler handler) {
        return handler.body()
                .declaredIn()
                .map(type -> "a method of " + type.getName())
                .orElseGet(
                        () -> "code of " + handler.body().getClass().getName().replaceAll("(\\$\\$Lambda|/0x).*", ""));
    }

    public Optional<JobHandler> find(String name) {
        return Optional.ofNullable(handlers.get(name));
    }

    public Set<String> names() {
        return handlers.keySet();
    }

    public Collection<JobHandler> all() {
        return handlers.values();
    }

    public boolean isEmpty() {
        return handlers.isEmpty();
    }
}
