package dev.muster.workflow;

import java.time.Instant;
import java.util.List;

/**
 * A version of a workflow that some node has published.
 *
 * @param signature what the version promises: see {@code Signature}
 * @param live whether a live node has it
 * @param paused whether the workflow is paused
 */
public record DefinitionInfo(
        String name,
        String version,
        String signature,
        Workflow.Lifecycle lifecycle,
        List<String> steps,
        boolean live,
        boolean paused,
        Instant firstSeen) {}
