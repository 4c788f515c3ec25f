package dev.muster.internal.node;

import java.util.UUID;

/** A node that was declared dead, in one of its incarnations; the node itself may have joined again with another one. */
public record DeadNode(String id, UUID incarnation) {}
