package dev.weir.testkit.node;

import java.util.List;
import java.util.function.Supplier;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.IndexScopedSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsFilter;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.plugins.NetworkPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestHandler;
import org.opensearch.transport.TransportInterceptor;

/**
 * A plugin that counts the searches of its node and injects faults on request: the node fails every
 * search at once, as with a broken disk, or fails between the query and the fetch phase.
 *
 * <p>{@code PUT /_weir_faults?searches=fail|pass} and {@code
 * ?fetches=pass|hold-request|ignore-request|close-connection|halt-node} switch it on this node
 * alone; {@code GET /_weir_faults} answers <code>
 * {"searches": 12, "failed": 3, "unfetched": 1}</code>: requests of the query phase, those that
 * were failed, and requests of the fetch phase that were not answered, since the node started.
 */
public final class FaultPlugin extends Plugin implements NetworkPlugin, ActionPlugin {
  private final SearchFaults faults = new SearchFaults();

  /** Makes the plugin; OpenSearch does. */
  public FaultPlugin() {}

  @Override
  public List<TransportInterceptor> getTransportInterceptors(
      NamedWriteableRegistry namedWriteables, ThreadContext threadContext) {
    return List.of(faults);
  }

  @Override
  public List<RestHandler> getRestHandlers(
      Settings settings,
      RestController restController,
      ClusterSettings clusterSettings,
      IndexScopedSettings indexScopedSettings,
      SettingsFilter settingsFilter,
      IndexNameExpressionResolver indexNameExpressionResolver,
      Supplier<DiscoveryNodes> nodesInCluster) {
    return List.of(new FaultRestHandler(faults));
  }
}
