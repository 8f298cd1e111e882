package dev.weir.node.capability;

import java.util.Collection;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.lifecycle.LifecycleComponent;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.plugins.ActionPlugin.ActionHandler;
import org.opensearch.threadpool.ThreadPool;

/**
 * A part of the plugin that a gateway uses if the node announces its capability. {@code WeirPlugin}
 * lists all features.
 */
public interface NodeFeature {
  /**
   * Returns the name that gateways look for, such as {@code cluster-state-diffs}. It stands for one
   * format of requests and responses: a changed format is a new capability.
   */
  String capability();

  /** Returns the actions that gateways call. */
  List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions();

  /**
   * Starts the feature, once, when the node starts.
   *
   * @return objects that the constructors of actions get from OpenSearch by their types
   */
  Collection<Object> start(ClusterService clusterService, ThreadPool threadPool);

  /**
   * Returns classes that OpenSearch makes one object of each when the node starts, with its own
   * services, such as that of the transport, as arguments.
   */
  default Collection<Class<? extends LifecycleComponent>> services() {
    return List.of();
  }
}
