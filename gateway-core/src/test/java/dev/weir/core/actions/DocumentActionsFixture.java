package dev.weir.core.actions;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.actions.ingest.IngestCounts;
import dev.weir.core.actions.ingest.IngestPipelines;
import dev.weir.core.actions.lines.LineBulkCounts;
import dev.weir.core.actions.merge.BulkMerger;
import dev.weir.core.actions.truncate.KeywordTruncationService;
import dev.weir.core.coordinate.AdmissionGate;
import dev.weir.core.coordinate.AttemptPolicy;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.coordinate.CopyAttempts;
import dev.weir.core.coordinate.NodeCapacity;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.rest.ForwardedBulkAction;
import dev.weir.routing.write.BulkShardSelector;
import dev.weir.routing.write.MintedIdGenerator;
import dev.weir.routing.write.WriteCostEstimator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.RecoverySource;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.cluster.routing.UnassignedInfo;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.index.shard.ShardId;

/** The document actions over a fake node that answers when the test lets it. */
final class DocumentActionsFixture implements NodeSender, ClusterViewSource {
  private static final Executor HOME = Runnable::run;

  final List<Sent> sent = new ArrayList<>();
  final RequestContext context = new RequestContext(HOME, 1, Map.of());

  /** The nodes that admission was requested for. */
  final List<String> asked = new ArrayList<>();

  @Nullable BulkResponse response;
  @Nullable Exception failure;
  private ClusterView current;
  private @Nullable ClusterView coming;

  /** How often the cluster view was refreshed. */
  int refreshes;

  final BulkShardSelector selector;

  /** Delayed tasks, which the test runs. */
  final List<Runnable> later = new ArrayList<>();

  /** What each node has. */
  final NodeConcurrencyLimiters lanes =
      new AdmissionQueues<String>(QueuePolicy.defaults(), () -> 0L, tenant -> 1, place -> {})
          .limiters();

  /** Nodes that run pipelines for the gateway; by default none. */
  final Set<String> pipelineNodes = new HashSet<>();

  final IngestCounts ingested = new IngestCounts();

  /** By default rejected writes are not retried. */
  final WriteFlowController flow =
      new WriteFlowController(
          lanes,
          BulkPolicy.Retry.NEVER,
          new SplittableRandom(5),
          (_, late) -> new IllegalStateException(late.message()));

  private static final BulkPolicy STANDARD =
      says(BulkPolicy.SingleShard.DEFAULT, BulkPolicy.Merge.DEFAULT);

  private final PolicyCompiler<BulkPolicy> policies = new PolicyCompiler<>(STANDARD);
  private BulkPolicy says = STANDARD;

  final WriteTransforms wayIn =
      new WriteTransforms(
          new KeywordTruncationService(policies.narrow(BulkPolicy::truncateKeywords)),
          new BulkMerger(policies.narrow(BulkPolicy::merge), () -> 0L),
          new LineBulkCounts());
  private final ActionRegistry actions;

  /** The response to a client. */
  static final class Client {
    final RequestContext context = new RequestContext(HOME, 2, Map.of());
    @Nullable BulkResponse response;
    @Nullable Exception failure;
  }

  /** Admits everything at once. */
  private final class Gate implements AdmissionGate {
    @Override
    public boolean canAdmitImmediately(
        NodeCallType work, String nodeId, int calls, RequestContext context) {
      asked.add(nodeId);
      return true;
    }

    @Override
    public boolean hasCapacity(NodeCallType work, String nodeId, RequestContext context) {
      return true;
    }

    @Override
    public AdmissionHandle requestAdmission(
        AdmissionRequest what, RequestContext request, Consumer<AdmissionHandle> told) {
      return ADMITTED;
    }
  }

  record Sent(String nodeId, NodeCall<?> call, ReplyHandler<Object> handler) {
    /** Returns the request as serialized. */
    BulkShardRequest shard() {
      if (call.payload() instanceof BulkShardRequest request) {
        return request;
      }
      try (BytesStreamOutput out = new BytesStreamOutput()) {
        call.payload().writeTo(out);
        return new BulkShardRequest(out.bytes().streamInput());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Answers a shard's items as created. */
    void created() {
      BulkShardRequest request = shard();
      BulkItemResponse[] items = new BulkItemResponse[request.items().length];
      for (int i = 0; i < items.length; i++) {
        BulkItemRequest item = request.items()[i];
        DocWriteRequest<?> write = item.request();
        IndexResponse done = new IndexResponse(request.shardId(), write.id(), i, 1, 1, true);
        items[i] = new BulkItemResponse(item.id(), write.opType(), done);
      }
      BulkShardResponse reply = new BulkShardResponse(request.shardId(), items);
      reply.setShardInfo(new ShardInfo(1, 1));
      reply(reply);
    }

    void reply(Object reply) {
      reply(reply, NO_FRAME);
    }

    void reply(Object reply, ReplyFrame frame) {
      handler.onReply(reply, frame);
    }

    /** Answers items by their position in the bulk: these are rejected, the others created. */
    void createdBut(Exception refusal, Set<Integer> refused) {
      BulkShardRequest request = shard();
      BulkItemResponse[] items = new BulkItemResponse[request.items().length];
      for (int i = 0; i < items.length; i++) {
        BulkItemRequest item = request.items()[i];
        DocWriteRequest<?> write = item.request();
        items[i] =
            refused.contains(item.id())
                ? new BulkItemResponse(
                    item.id(),
                    write.opType(),
                    new BulkItemResponse.Failure("logs", write.id(), refusal))
                : new BulkItemResponse(
                    item.id(),
                    write.opType(),
                    new IndexResponse(request.shardId(), write.id(), i, 1, 1, true));
      }
      BulkShardResponse reply = new BulkShardResponse(request.shardId(), items);
      reply.setShardInfo(new ShardInfo(1, 1));
      reply(reply);
    }

    void fail(NodeCallException.Kind kind, Exception why) {
      handler.onFailure(new NodeCallException(kind, "n1", why));
    }
  }

  private static final ReplyFrame NO_FRAME =
      new ReplyFrame() {
        @Override
        public Map<String, Set<String>> responseHeaders() {
          return Map.of();
        }

        @Override
        public int wireBytes() {
          return 0;
        }

        @Override
        public void retain() {}

        @Override
        public void release() {}
      };

  DocumentActionsFixture(ClusterView first) {
    this.current = first;
    this.selector =
        new BulkShardSelector(
            new WriteCostEstimator() {
              @Override
              public double expectedNanos(String nodeId, NodeCallType work) {
                return 1e6;
              }

              @Override
              public boolean takeTrial(String nodeId, Phase phase) {
                return false;
              }
            },
            () -> 0L,
            new SplittableRandom(4));
    ActionServices services =
        new ActionServices(
            CoordinationServices.create(
                this,
                this,
                new CoordinationTimers((delay, home, action) -> later.add(action), () -> 0L),
                CopyAttempts.inPlanOrder(AttemptPolicy.RETRY_ONLY),
                new NodeCapacity(new Gate(), flow)),
            new IndexNameResolver(new ThreadContext(Settings.EMPTY)),
            new RecentRoutingDecisions(
                0, this::current, (copies, count, phase) -> {}, () -> 0, () -> 0));
    this.actions =
        DocumentActions.addTo(
                ActionRegistry.builder(),
                services,
                new SingleShardBulkRouter(
                    policies.narrow(BulkPolicy::singleShard),
                    selector,
                    new MintedIdGenerator(() -> 1_700_000_000_000L, 5),
                    wayIn.bulkMerger()),
                wayIn,
                new IngestPipelines(services.coordination(), pipelineNodes::contains, ingested))
            .build();
  }

  private static BulkPolicy says(BulkPolicy.SingleShard singleShard, BulkPolicy.Merge merge) {
    return new BulkPolicy(
        singleShard,
        new ByteSize(64 << 20),
        BulkPolicy.Retry.DEFAULT,
        BulkPolicy.TruncateKeywords.DEFAULT,
        merge,
        new BulkPolicy.Streaming(new ByteSize(0), new ByteSize(1 << 20), new ByteSize(1 << 22)));
  }

  /** Routes later bulks to one shard. */
  void directs(BulkPolicy.SingleShard policy) {
    says = says(policy, says.merge());
    context.resources().setPolicy(policies.compile("", says, null));
  }

  /** Merges later bulks. */
  void merges(BulkPolicy.Merge policy) {
    says = says(says.singleShard(), policy);
    context.resources().setPolicy(policies.compile("", says, null));
  }

  /** Creates a view with these nodes, which run pipelines, and no index. */
  static ClusterView ingesting(String... nodeIds) {
    DiscoveryNodes.Builder nodes = DiscoveryNodes.builder();
    Map<String, NodeEndpoint> endpoints = new HashMap<>();
    for (String id : nodeIds) {
      nodes.add(node(id, 9300 + endpoints.size(), Set.of(DiscoveryNodeRole.INGEST_ROLE)));
      endpoints.put(id, endpoint(id));
    }
    ClusterState state = ClusterState.builder(new ClusterName("test")).nodes(nodes).build();
    return new ClusterView(state, endpoints, 0, false);
  }

  private static DiscoveryNode node(String id, int port, Set<DiscoveryNodeRole> roles) {
    return new DiscoveryNode(
        id,
        id,
        new TransportAddress(InetAddress.getLoopbackAddress(), port),
        Map.of(),
        roles,
        Version.CURRENT);
  }

  private static NodeEndpoint endpoint(String id) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9300);
    return new NodeEndpoint(id, "e1", id, address, null, Set.of(), Map.of(), "3.8.0");
  }

  /** Creates a view with one node and these indices, with all primaries started on it. */
  static ClusterView view(long version, IndexMetadata... indices) {
    Metadata.Builder metadata = Metadata.builder();
    RoutingTable.Builder routing = RoutingTable.builder();
    for (IndexMetadata index : indices) {
      metadata.put(index, false);
      IndexRoutingTable.Builder shards = IndexRoutingTable.builder(index.getIndex());
      for (int shard = 0; shard < index.getNumberOfShards(); shard++) {
        shards.addShard(started(new ShardId(index.getIndex(), shard)));
      }
      routing.add(shards);
    }
    ClusterState state =
        ClusterState.builder(new ClusterName("test"))
            .version(version)
            .stateUUID("uuid-" + version)
            .nodes(
                DiscoveryNodes.builder().add(node("n1", 9300, Set.of())).clusterManagerNodeId("n1"))
            .metadata(metadata)
            .routingTable(routing.build())
            .build();
    return new ClusterView(state, Map.of("n1", endpoint("n1")), 0, false);
  }

  private static ShardRouting started(ShardId shard) {
    return ShardRouting.newUnassigned(
            shard,
            true,
            RecoverySource.EmptyStoreRecoverySource.INSTANCE,
            new UnassignedInfo(UnassignedInfo.Reason.INDEX_CREATED, "test"))
        .initialize("n1", null, 0)
        .moveToStarted();
  }

  static IndexMetadata index(String name, String uuid, int shards, String... settings) {
    return IndexMetadata.builder(name)
        .settings(
            Settings.builder()
                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                .put(IndexMetadata.SETTING_INDEX_UUID, uuid)
                .put(pairs(settings)))
        .numberOfShards(shards)
        .numberOfReplicas(0)
        .build();
  }

  private static Settings pairs(String... settings) {
    Settings.Builder builder = Settings.builder();
    for (int i = 0; i < settings.length; i += 2) {
      builder.put(settings[i], settings[i + 1]);
    }
    return builder.build();
  }

  /** Sets the view that the next refresh finds. */
  void comes(ClusterView view) {
    coming = view;
  }

  /** Sends a bulk of another client. */
  Client send(BulkRequest request) {
    Client client = new Client();
    client.context.resources().setPolicy(context.resources().policy());
    actions.execute(
        BulkAction.INSTANCE,
        request,
        client.context,
        ActionListener.wrap(done -> client.response = done, why -> client.failure = why));
    return client;
  }

  /** Forwards a bulk to a node as a whole. */
  void nodeBulk(BulkRequest request) {
    actions.execute(
        ForwardedBulkAction.INSTANCE,
        request,
        context,
        ActionListener.wrap(done -> response = done, why -> failure = why));
  }

  void bulk(BulkRequest request) {
    actions.execute(
        BulkAction.INSTANCE,
        request,
        context,
        ActionListener.wrap(done -> response = done, why -> failure = why));
  }

  void update(UpdateRequest request) {
    actions.execute(
        UpdateAction.INSTANCE,
        request,
        context,
        ActionListener.wrap(done -> {}, why -> failure = why));
  }

  /** Gets several documents; the listener hears the outcome. */
  void multiGet(
      MultiGetRequest request, RequestContext client, ActionListener<MultiGetResponse> listener) {
    actions.execute(MultiGetAction.INSTANCE, request, client, listener);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext request,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    sent.add(new Sent(nodeId, call, (ReplyHandler<Object>) (ReplyHandler<?>) handler));
    return () -> true;
  }

  @Override
  public <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext request, ReplyHandler<R> handler) {
    return send(nodeId, NodeCallType.HITS, call, request, null, handler);
  }

  @Override
  public ClusterView current() {
    return current;
  }

  @Override
  public CompletionStage<ClusterView> refresh(ClusterView stale) {
    refreshes++;
    if (coming != null) {
      current = coming;
      coming = null;
    }
    return CompletableFuture.completedFuture(current);
  }
}
