package dev.weir.core.actions.merge;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexRequest;

/**
 * Merges parts of small bulks for the same shard. It merges only parts of the same event loop:
 * everything happens there without a lock, and the merged bytes belong to requests of that loop.
 * Safe on any thread; a call belongs to its request's event loop.
 */
final class MergingBulkSender implements NodeSender {
  /** The largest number of queues per event loop. */
  private static final int MAX_QUEUES_PER_LOOP = 4096;

  /** The largest number of event loops; parts of further executors are not merged. */
  private static final int MAX_EVENT_LOOPS = 1024;

  /** A request whose deadline is closer than this many waits is sent alone. */
  private static final int MIN_WAITS_LEFT = 4;

  private final BulkMerger merger;
  private final NodeSender sender;
  private final DelayScheduler delays;
  private final LongSupplier nanoTime;
  private final Map<Executor, MergeQueues> queuesByLoop = new ConcurrentHashMap<>();

  /** The queues of one event loop, to which they are confined. */
  private static final class MergeQueues extends LinkedHashMap<MergeKey, MergeQueue> {
    private static final long serialVersionUID = 1L;

    MergeQueues() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<MergeKey, MergeQueue> eldest) {
      return size() > MAX_QUEUES_PER_LOOP;
    }
  }

  MergingBulkSender(
      BulkMerger merging, NodeSender sender, DelayScheduler delays, LongSupplier nanoTime) {
    this.merger = merging;
    this.sender = sender;
    this.delays = delays;
    this.nanoTime = nanoTime;
  }

  @Override
  public <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    PendingCall merged = merge(nodeId, call, context, loadFeedback, handler);
    return merged == null
        ? sender.send(nodeId, work, call, context, loadFeedback, handler)
        : merged;
  }

  /** Adds the part of a small bulk to those that are merged; returns null for another call. */
  private <R> @Nullable PendingCall merge(
      String nodeId,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    BulkPolicy.Merge policy = merger.policyOf(context.resources().policy());
    if (!policy.indices().isEmpty()
        && context.resources().identity() == null // nodes authorize each user's items
        && call.payload() instanceof BulkShardRequest request
        && context.cancelReason() == null
        && hasTimeToWait(policy, context)) {
      MergeablePart part =
          newPart(
              policy,
              request,
              new MergeablePart.PendingSend<>(call, context, loadFeedback, handler));
      MergeQueues queues = part == null ? null : queuesOf(context.eventLoop());
      if (part != null && queues != null) {
        return queues
            .computeIfAbsent(
                MergeKey.of(nodeId, request, call.headers(), context),
                key -> new MergeQueue(merger.counts(), sender, delays, nanoTime, nodeId))
            .add(part, policy);
      }
    }
    return null;
  }

  @Override
  public <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    return sender.sendUntracked(nodeId, call, context, handler);
  }

  /** Starts a batch of the calls that are not merged. */
  @Override
  public CallBatch startBatch(int maxRunning) {
    CallBatch batch = sender.startBatch(maxRunning);
    return new CallBatch(
        new MergingBatchSender(batch.sender()),
        new MergingBatchSender(batch.queuing()),
        batch.queuingNodes(),
        batch.flush());
  }

  /** Merges what can be merged, and sends other calls by a batch. */
  private final class MergingBatchSender implements NodeSender {
    private final NodeSender batch;

    MergingBatchSender(NodeSender batch) {
      this.batch = batch;
    }

    @Override
    public <R> PendingCall send(
        String nodeId,
        NodeCallType work,
        NodeCall<R> call,
        RequestContext context,
        @Nullable LoadFeedback<R> loadFeedback,
        ReplyHandler<R> handler) {
      PendingCall merged = merge(nodeId, call, context, loadFeedback, handler);
      return merged == null
          ? batch.send(nodeId, work, call, context, loadFeedback, handler)
          : merged;
    }

    @Override
    public <R> PendingCall sendUntracked(
        String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
      return batch.sendUntracked(nodeId, call, context, handler);
    }
  }

  private boolean hasTimeToWait(BulkPolicy.Merge policy, RequestContext context) {
    return !context.deadline().isSet()
        || context.deadline().remainingNanos(nanoTime.getAsLong())
            > MIN_WAITS_LEFT * policy.maxDelay().toNanos();
  }

  /** Creates the part of a small bulk; null for another call. */
  @SuppressWarnings("unchecked") // the answer to such a request
  private static @Nullable MergeablePart newPart(
      BulkPolicy.Merge policy, BulkShardRequest request, MergeablePart.PendingSend<?> send) {
    BulkItemRequest[] items = request.items();
    String index = request.shardId().getIndexName();
    if (items.length > policy.maxItems()
        || !IndexNameResolver.isMatch(policy.indices(), items[0].index(), index)) {
      return null;
    }
    long bytes = 0;
    for (BulkItemRequest item : items) {
      if (item.request().opType() == DocWriteRequest.OpType.UPDATE) {
        return null; // may run a script, and return documents
      }
      if (item.request() instanceof IndexRequest document && document.source() != null) {
        bytes += document.source().length();
      }
    }
    return bytes > policy.maxBatchBytes().bytes() / 2
        ? null
        : new MergeablePart(request, bytes, (MergeablePart.PendingSend<BulkShardResponse>) send);
  }

  private @Nullable MergeQueues queuesOf(Executor eventLoop) {
    MergeQueues known = queuesByLoop.get(eventLoop);
    if (known != null || queuesByLoop.size() >= MAX_EVENT_LOOPS) {
      return known;
    }
    return queuesByLoop.computeIfAbsent(eventLoop, of -> new MergeQueues());
  }
}
