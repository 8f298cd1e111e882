package dev.weir.testkit.node;

import java.util.List;
import java.util.function.Supplier;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.NamedDiff;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.IndexScopedSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsFilter;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.SearchPlugin;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestHandler;

/**
 * A plugin that no client has heard of, for tests of what a client does then.
 *
 * <p>It brings the query {@code weir_unknown_query}, the endpoint {@code /_weir_unknown}, and a
 * custom in the cluster state that appears with {@code PUT /_weir_unknown?value=...} and disappears
 * with {@code DELETE /_weir_unknown}. While the custom is there, who does not know it cannot read
 * the binary cluster state with its customs. All nodes of a cluster must have the plugin.
 */
public final class UnknownPlugin extends Plugin implements SearchPlugin, ActionPlugin {
  /** Makes the plugin; OpenSearch does. */
  public UnknownPlugin() {}

  @Override
  public List<NamedWriteableRegistry.Entry> getNamedWriteables() {
    return List.of(
        new NamedWriteableRegistry.Entry(
            Metadata.Custom.class, UnknownCustom.NAME, UnknownCustom::new),
        new NamedWriteableRegistry.Entry(
            NamedDiff.class, UnknownCustom.NAME, UnknownCustom::readDiffFrom));
  }

  @Override
  public List<QuerySpec<?>> getQueries() {
    return List.of(
        new QuerySpec<>(
            UnknownQueryBuilder.NAME, UnknownQueryBuilder::new, UnknownQueryBuilder::fromXContent));
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> getActions() {
    return List.of(new ActionHandler<>(UnknownAction.TYPE, UnknownAction.class));
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
    return List.of(new UnknownRestHandler());
  }
}
