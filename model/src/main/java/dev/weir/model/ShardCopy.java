package dev.weir.model;

import java.util.Map;

/**
 * One copy of a shard that can answer reads.
 *
 * @param nodeId the id of its node
 * @param allocationId the copy's allocation id; empty if unknown
 * @param primary whether it is the primary
 * @param initializing whether it is still initializing, so that it is tried last
 * @param nodeAttributes the node's attributes, such as zone, for awareness
 */
public record ShardCopy(
    String nodeId,
    String allocationId,
    boolean primary,
    boolean initializing,
    Map<String, String> nodeAttributes) {}
