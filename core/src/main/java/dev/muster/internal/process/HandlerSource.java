package dev.muster.internal.process;

import dev.muster.job.JobHandler;
import dev.muster.runtime.JsonCodec;
import java.util.List;
import java.util.Optional;

/** How a child process gets at the handlers that its node has. The root package implements it, because it knows applications. */
public interface HandlerSource {

    /** The class names of the applications that the service loader finds. */
    List<String> apps();

    /** What the application of this class registers. */
    Registered ofApp(String className);

    /** The handlers of jobs that this object has. */
    List<JobHandler> ofObject(Object object);

    /**
     * What an application has registered.
     *
     * @param json the codec that it has set
     */
    record Registered(List<JobHandler> handlers, Optional<JsonCodec> json) {}
}
