/**
 * Durable workflows: methods whose steps are stored, so that after a crash another node continues with the first step that is not. Begin at {@link
 * dev.muster.workflow.Workflow}, {@link dev.muster.workflow.WorkflowContext} and {@link dev.muster.workflow.Workflows}.
 *
 * <p>Code between steps must be deterministic: time, random numbers and ids come from the context.
 */
@NullMarked
package dev.muster.workflow;

import org.jspecify.annotations.NullMarked;
