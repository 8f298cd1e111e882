package dev.weir.routing;

import dev.weir.model.ShardCopy;
import java.util.List;

/**
 * Copies of a shard in the order in which they should be tried.
 *
 * @param copies best first
 * @param startsWithTrial whether the first copy comes first as a test of its node, regardless of
 *     scores: send the request there, since the node gets no other test for a while
 */
public record RankedCopies(List<ShardCopy> copies, boolean startsWithTrial) {}
