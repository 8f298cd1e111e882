package dev.weir.gateway.coordinate;

import dev.weir.gateway.cluster.ClusterViews;
import java.util.function.LongSupplier;

/**
 * What the state machines reach the world through.
 *
 * @param sender sends calls to nodes
 * @param views where the newest view of the cluster is
 * @param delays waits
 * @param nanoClock a monotonic clock, nanoseconds
 */
public record Environment(
    NodeSender sender, ClusterViews views, Delays delays, LongSupplier nanoClock) {}
