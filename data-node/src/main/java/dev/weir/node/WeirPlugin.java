package dev.weir.node;

import dev.weir.node.batch.ShardBatchFeature;
import dev.weir.node.bulk.BulkBatchFeature;
import dev.weir.node.capability.AnnouncedCapabilities;
import dev.weir.node.capability.CapabilitiesAction;
import dev.weir.node.capability.NodeFeature;
import dev.weir.node.capability.TransportCapabilitiesAction;
import dev.weir.node.ceiling.RequestCeilings;
import dev.weir.node.codec.ZstdCodecs;
import dev.weir.node.columns.ColumnFetchFeature;
import dev.weir.node.compression.CompressionFeature;
import dev.weir.node.generation.ReaderGenerationsFeature;
import dev.weir.node.ingest.IngestPipelinesFeature;
import dev.weir.node.load.LoadFeedbackFeature;
import dev.weir.node.mapping.MappingUpdateCoalescer;
import dev.weir.node.reduction.PartialReductionFeature;
import dev.weir.node.state.StateDiffFeature;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.support.ActionFilter;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.lifecycle.LifecycleComponent;
import org.opensearch.common.network.NetworkService;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.indices.breaker.CircuitBreakerService;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.env.Environment;
import org.opensearch.env.NodeEnvironment;
import org.opensearch.index.IndexModule;
import org.opensearch.index.IndexSettings;
import org.opensearch.index.codec.AdditionalCodecs;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.plugins.EnginePlugin;
import org.opensearch.plugins.NetworkPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.SearchPlugin;
import org.opensearch.repositories.RepositoriesService;
import org.opensearch.script.ScriptService;
import org.opensearch.search.query.QueryCollectorContextSpecFactory;
import org.opensearch.telemetry.tracing.Tracer;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.Transport;
import org.opensearch.transport.TransportInterceptor;
import org.opensearch.transport.client.Client;
import org.opensearch.watcher.ResourceWatcherService;

/**
 * The plugin. It makes index settings known to a node that only the gateway acts on, so that they
 * can be kept where an index keeps its other settings; it answers the gateway's own requests; it
 * bounds what one search holds on the node ({@link dev.weir.node.ceiling}); it sends identical
 * mapping updates to the cluster manager once ({@link dev.weir.node.mapping}); it adds the node's
 * load to responses that a gateway asks it of ({@link dev.weir.node.load}); it reads and writes
 * payloads compressed by zstd ({@link dev.weir.node.compression}); it takes the requests to several
 * shards in one message ({@link dev.weir.node.batch}), and the parts of a bulk ({@link
 * dev.weir.node.bulk}); it answers fetches as columns ({@link dev.weir.node.columns}); it runs
 * ingest pipelines and hands the documents back ({@link dev.weir.node.ingest}); and it adds codecs
 * for stored fields ({@link dev.weir.node.codec}). In everything else the node behaves as it would
 * without it.
 */
public final class WeirPlugin extends Plugin
    implements ActionPlugin, EnginePlugin, NetworkPlugin, SearchPlugin {
  /**
   * Whether the gateway steers the documents of a bulk that have neither an id nor a routing value
   * to one shard of the index.
   */
  public static final Setting<Boolean> BULK_ROUTING =
      Setting.boolSetting(
          "index.bulk_routing.enabled",
          false,
          Setting.Property.Dynamic,
          Setting.Property.IndexScope);

  private final LoadFeedbackFeature loadFeedback =
      new LoadFeedbackFeature(
          Stream.of(ShardBatchFeature.actionNames(), BulkBatchFeature.actionNames())
              .flatMap(Set::stream)
              .collect(Collectors.toUnmodifiableSet()));
  private final CompressionFeature compression = new CompressionFeature();
  private final ColumnFetchFeature columnFetch = new ColumnFetchFeature();
  private final List<NodeFeature> features =
      Stream.<List<NodeFeature>>of(
              List.of(
                  new StateDiffFeature(),
                  new ReaderGenerationsFeature(),
                  loadFeedback,
                  compression,
                  columnFetch,
                  new ShardBatchFeature(),
                  new IngestPipelinesFeature(),
                  new BulkBatchFeature()),
              PartialReductionFeature.all())
          .flatMap(List::stream)
          .toList();
  private final RequestCeilings ceilings = new RequestCeilings();
  private final MappingUpdateCoalescer mappingUpdates = new MappingUpdateCoalescer();

  /** Makes the plugin; OpenSearch does. */
  public WeirPlugin() {}

  @Override
  public List<Setting<?>> getSettings() {
    return List.of(BULK_ROUTING);
  }

  @Override
  public Optional<AdditionalCodecs> getAdditionalCodecs(IndexSettings index) {
    return ZstdCodecs.of(index);
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
    mappingUpdates.setThreads(threadPool.getThreadContext(), threadPool);
    List<Object> components = new ArrayList<>();
    components.add(
        AnnouncedCapabilities.of(features.stream().map(NodeFeature::capability).toList()));
    features.forEach(feature -> components.addAll(feature.start(clusterService, threadPool)));
    return components;
  }

  @Override
  public Collection<Class<? extends LifecycleComponent>> getGuiceServiceClasses() {
    List<Class<? extends LifecycleComponent>> services = new ArrayList<>();
    features.forEach(feature -> services.addAll(feature.services()));
    return services;
  }

  @Override
  public List<ActionFilter> getActionFilters() {
    return List.of(mappingUpdates);
  }

  /** Has tasks keep the ceiling of their search. */
  @Override
  public Collection<String> getTaskHeaders() {
    return List.of(RequestCeilings.HEADER);
  }

  @Override
  public void onIndexModule(IndexModule indexModule) {
    indexModule.addSearchOperationListener(ceilings);
    loadFeedback.observe(indexModule);
    columnFetch.observe(indexModule);
  }

  @Override
  public List<QueryCollectorContextSpecFactory> getCollectorContextSpecFactories() {
    return List.of(ceilings);
  }

  @Override
  public List<TransportInterceptor> getTransportInterceptors(
      NamedWriteableRegistry namedWriteableRegistry, ThreadContext threadContext) {
    // the last one is nearest to the channel: it gets a response when the other has seen it
    return List.of(
        loadFeedback.interceptor(threadContext), compression.transportInterceptor(threadContext));
  }

  /** Adds no transport; OpenSearch gives its pages for arrays only here. */
  @Override
  public Map<String, Supplier<Transport>> getTransports(
      Settings settings,
      ThreadPool threadPool,
      PageCacheRecycler pageCacheRecycler,
      CircuitBreakerService circuitBreakerService,
      NamedWriteableRegistry namedWriteableRegistry,
      NetworkService networkService,
      Tracer tracer) {
    ceilings.setPages(pageCacheRecycler);
    return Map.of();
  }
}
