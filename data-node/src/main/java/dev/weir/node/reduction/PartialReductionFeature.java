package dev.weir.node.reduction;

import dev.weir.node.capability.NodeFeature;
import java.util.Collection;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/**
 * Results of several shards without what can't be in the response. Each kind has a capability of
 * its own, because gateways learnt to ask for them one after the other.
 *
 * @param capability {@code partial-reduction} for hits in the order of scores, {@code
 *     partial-field-sorts} for hits in the order of fields, {@code partial-aggregations} for
 *     aggregations
 */
public record PartialReductionFeature(String capability) implements NodeFeature {
  /** Returns the feature of each kind. */
  public static List<NodeFeature> all() {
    return List.of(
        new PartialReductionFeature("partial-reduction"),
        new PartialReductionFeature("partial-aggregations"),
        new PartialReductionFeature("partial-field-sorts"));
  }

  /** Returns none: the action is one of batches, which are handled below the actions. */
  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions() {
    return List.of();
  }

  @Override
  public Collection<Object> start(ClusterService clusterService, ThreadPool threadPool) {
    return List.of();
  }
}
