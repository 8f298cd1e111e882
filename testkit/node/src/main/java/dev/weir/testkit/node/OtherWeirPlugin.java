package dev.weir.testkit.node;

import dev.weir.node.WeirPlugin;
import dev.weir.node.capability.AnnouncedCapabilities;
import dev.weir.node.capability.CapabilitiesAction;
import dev.weir.node.capability.NodeFeature;
import dev.weir.node.capability.TransportCapabilitiesAction;
import dev.weir.node.generation.ReaderGenerationsFeature;
import dev.weir.node.state.StateDiffFeature;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.settings.Setting;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.env.Environment;
import org.opensearch.env.NodeEnvironment;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.repositories.RepositoriesService;
import org.opensearch.script.ScriptService;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.client.Client;
import org.opensearch.watcher.ResourceWatcherService;

/**
 * Weir's plugin in another version, without some of its parts, and with one that the gateway does
 * not know.
 */
public final class OtherWeirPlugin extends Plugin implements ActionPlugin {
  private static final String VERSION = "9.9.9";
  private static final String UNKNOWN_CAPABILITY = "unknown-to-this-gateway";

  private final List<NodeFeature> features =
      List.of(new StateDiffFeature(), new ReaderGenerationsFeature());

  /** Makes the plugin; OpenSearch does. */
  public OtherWeirPlugin() {}

  @Override
  public List<Setting<?>> getSettings() {
    return List.of(WeirPlugin.BULK_ROUTING);
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> getActions() {
    List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> actions =
        new ArrayList<>();
    actions.add(
        new ActionHandler<>(CapabilitiesAction.INSTANCE, TransportCapabilitiesAction.class));
    features.forEach(feature -> actions.addAll(feature.actions()));
    return actions;
  }

  @Override
  public Collection<Object> createComponents(
      Client client,
      ClusterService clusterService,
      ThreadPool threadPool,
      ResourceWatcherService resourceWatcherService,
      ScriptService scriptService,
      NamedXContentRegistry xContentRegistry,
      Environment environment,
      NodeEnvironment nodeEnvironment,
      NamedWriteableRegistry namedWriteableRegistry,
      IndexNameExpressionResolver indexNameExpressionResolver,
      Supplier<RepositoriesService> repositoriesServiceSupplier) {
    List<String> names = new ArrayList<>();
    features.forEach(feature -> names.add(feature.capability()));
    names.add(UNKNOWN_CAPABILITY);
    List<Object> components = new ArrayList<>();
    components.add(new AnnouncedCapabilities(VERSION, names));
    features.forEach(feature -> components.addAll(feature.start(clusterService, threadPool)));
    return components;
  }
}
