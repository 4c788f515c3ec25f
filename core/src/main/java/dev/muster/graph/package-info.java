/**
 * Graphs: tasks with edges between them. A task starts when its parents have ended as its {@link dev.muster.graph.Trigger} says, and can take their
 * results as its inputs. Begin at {@link dev.muster.graph.Graphs} and {@link dev.muster.graph.GraphRequest}.
 */
@NullMarked
package dev.muster.graph;

import org.jspecify.annotations.NullMarked;
