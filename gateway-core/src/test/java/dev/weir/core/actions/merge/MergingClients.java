package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ByteSize;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.Deadline;
import dev.weir.model.NodeCallType;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkInternals;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.WriteRequest.RefreshPolicy;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.index.shard.ShardId;

/**
 * Clients of one event loop whose small bulks may be merged, over a node that answers when the test
 * lets it.
 */
final class MergingClients implements NodeSender, DelayScheduler {
  static final Executor HOME = Runnable::run;
  static final ShardId SHARD = new ShardId("logs-1", "uuid", 2);

  final List<Sent> sent = new ArrayList<>();
  final List<CancellableAction> alarms = new ArrayList<>();
  final PolicyCompiler<BulkPolicy.Merge> policies =
      new PolicyCompiler<>(
          new BulkPolicy.Merge(
              List.of("logs*"), Duration.ofMillis(5), 10, 20, new ByteSize(10_000)));
  final BulkMerger merging = new BulkMerger(policies, () -> 0L);
  private final NodeSender sender = merging.wrap(this, this);

  /** The actions of the calls that came by a batch. */
  final List<String> batched = new ArrayList<>();

  /** Whether the clients' parts travel in batches. */
  boolean batching;

  /** A call that a node received. */
  record Sent(
      NodeCallType work,
      NodeCall<?> call,
      RequestContext context,
      ReplyHandler<BulkShardResponse> handler,
      AtomicBoolean forgotten) {

    /** Serializes the request now. */
    BulkShardRequest written() {
      return call.payload() instanceof MergedBulkCall merged
          ? merged.buildRequest()
          : (BulkShardRequest) call.payload();
    }

    /** Answers the items of the serialized request; those called {@code bad} have failed. */
    void answer(BulkShardRequest written) {
      BulkItemResponse[] items =
          Arrays.stream(written.items()).map(Sent::answer).toArray(BulkItemResponse[]::new);
      BulkShardResponse reply = new BulkShardResponse(SHARD, items, 7, 3);
      reply.setShardInfo(new ShardInfo(2, 2));
      handler.onReply(reply, new NoFrame());
    }

    private static BulkItemResponse answer(BulkItemRequest item) {
      DocWriteRequest<?> write = item.request();
      return write.id().startsWith("bad")
          ? new BulkItemResponse(
              item.id(),
              write.opType(),
              new BulkItemResponse.Failure(
                  "logs-1", write.id(), new OpenSearchException("no " + write.id())))
          : new BulkItemResponse(
              item.id(), write.opType(), new IndexResponse(SHARD, write.id(), 1, 1, 1, true));
    }

    void fail(NodeCallException.Kind kind) {
      handler.onFailure(new NodeCallException(kind, "n1", new OpenSearchException(kind.name())));
    }
  }

  /** A frame without references. */
  record NoFrame() implements ReplyFrame {
    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of("Warning", Set.of("old"));
    }

    @Override
    public int wireBytes() {
      return 100;
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
  }

  /** A client's part and its result. */
  static final class Client implements ReplyHandler<BulkShardResponse> {
    final RequestContext context;
    final List<String> heard = new ArrayList<>();
    @Nullable BulkShardResponse reply;
    @Nullable NodeCallException failure;

    Client(RequestContext context) {
      this.context = context;
    }

    @Override
    public void onReply(BulkShardResponse done, ReplyFrame frame) {
      reply = done;
      for (BulkItemResponse item : done.getResponses()) {
        heard.add(item.getItemId() + " " + item.getId() + (item.isFailed() ? " failed" : ""));
      }
    }

    @Override
    public void onFailure(NodeCallException why) {
      failure = why;
      heard.add(why.kind().name());
    }
  }

  static RequestContext context(Map<String, String> headers, String tenant) {
    return new RequestContext(HOME, Runnable::run, 1, headers, tenant);
  }

  static RequestContext context() {
    return context(Map.of(), RequestContext.DEFAULT_TENANT);
  }

  static Deadline deadline(Duration left) {
    return Deadline.after(0, left, "a test");
  }

  /** Creates a part of documents with these ids, whose positions count from 4. */
  static BulkShardRequest part(String... ids) {
    BulkItemRequest[] items = new BulkItemRequest[ids.length];
    for (int i = 0; i < ids.length; i++) {
      items[i] =
          new BulkItemRequest(
              4 + i, new IndexRequest("logs").id(ids[i]).source("{\"a\":1}", XContentType.JSON));
    }
    return part(items, RefreshPolicy.NONE);
  }

  static BulkShardRequest part(BulkItemRequest[] items, RefreshPolicy refresh) {
    BulkShardRequest request = new BulkShardRequest(SHARD, refresh, items);
    BulkInternals.setClusterStateVersion(request, 40 + items.length);
    return request;
  }

  Client send(String... ids) {
    return send(part(ids), context());
  }

  Client send(BulkShardRequest part, RequestContext context) {
    Client client = new Client(context);
    NodeSender by = batching ? sender.startBatch(0).sender() : sender;
    by.send(
        "n1",
        NodeCallType.forWrite(part.items().length),
        new NodeCall<>(
            TransportShardBulkAction.ACTION_NAME,
            part,
            BulkInternals.shardResponseReader(),
            ChannelKind.BULK,
            context.transportHeaders(),
            Duration.ZERO),
        context,
        null,
        client);
    return client;
  }

  /** The wait for further bulks ends. */
  void later() {
    List<CancellableAction> due = List.copyOf(alarms);
    alarms.clear();
    due.forEach(CancellableAction::run);
  }

  @Override
  public void schedule(Duration delay, Executor home, Runnable action) {
    alarms.add((CancellableAction) action);
  }

  @Override
  public CallBatch startBatch(int maxRunning) {
    NodeSender collecting =
        new NodeSender() {
          @Override
          public <R> PendingCall send(
              String nodeId,
              NodeCallType work,
              NodeCall<R> call,
              RequestContext context,
              @Nullable LoadFeedback<R> loadFeedback,
              ReplyHandler<R> handler) {
            batched.add(call.action());
            return MergingClients.this.send(nodeId, work, call, context, loadFeedback, handler);
          }

          @Override
          public <R> PendingCall sendUntracked(
              String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
            return MergingClients.this.sendUntracked(nodeId, call, context, handler);
          }
        };
    return new CallBatch(collecting, collecting, nodeId -> false, () -> {});
  }

  @Override
  public <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    return send(nodeId, NodeCallType.HITS, call, context, null, handler);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    AtomicBoolean forgotten = new AtomicBoolean();
    sent.add(
        new Sent(
            work,
            call,
            context,
            (ReplyHandler<BulkShardResponse>) (ReplyHandler<?>) handler,
            forgotten));
    context.onCancel(() -> forgotten.set(true));
    return () -> !forgotten.getAndSet(true);
  }
}
