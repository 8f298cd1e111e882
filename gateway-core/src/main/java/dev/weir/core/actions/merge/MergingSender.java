package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.cluster.IndexNames;
import dev.weir.core.coordinate.Delays;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
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
 * The sender that lets parts of small bulks go to their shard together. Parts meet only at the same
 * home: there all of it happens, without a lock, and there the bytes of those live that go
 * together. Safe on any thread; a call belongs to its request's home.
 */
final class MergingSender implements NodeSender {
  /** Shards, with what is asked of them, that are remembered at a home. */
  private static final int MOST_LANES = 4096;

  /** Homes are event loops; who has others does not merge. */
  private static final int MOST_HOMES = 1024;

  /** A request that has less than so many waits left goes by itself. */
  private static final int WAITS_LEFT = 4;

  private final BulkMerging merging;
  private final NodeSender sender;
  private final Delays delays;
  private final LongSupplier nanoTime;
  private final Map<Executor, Lanes> homes = new ConcurrentHashMap<>();

  /** The lanes of one home, to which they are confined. */
  private static final class Lanes extends LinkedHashMap<LaneKey, Lane> {
    private static final long serialVersionUID = 1L;

    Lanes() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<LaneKey, Lane> eldest) {
      return size() > MOST_LANES;
    }
  }

  MergingSender(BulkMerging merging, NodeSender sender, Delays delays, LongSupplier nanoTime) {
    this.merging = merging;
    this.sender = sender;
    this.delays = delays;
    this.nanoTime = nanoTime;
  }

  @Override
  public <R> PendingCall send(
      String nodeId,
      Work work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable Piggyback<R> piggyback,
      ReplyHandler<R> handler) {
    BulkPolicy.Merge policy = merging.policy(context.policy());
    if (!policy.indices().isEmpty()
        && call.payload() instanceof BulkShardRequest request
        && context.cancelReason() == null
        && hasTime(policy, context)) {
      Part part = part(policy, request, new Part.Ask<>(call, context, piggyback, handler));
      Lanes lanes = part == null ? null : lanes(context.home());
      if (part != null && lanes != null) {
        return lanes
            .computeIfAbsent(
                LaneKey.of(nodeId, request, call.headers(), context),
                key -> new Lane(merging.counts(), sender, delays, nanoTime, nodeId))
            .add(part, policy);
      }
    }
    return sender.send(nodeId, work, call, context, piggyback, handler);
  }

  @Override
  public <R> PendingCall sendAside(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    return sender.sendAside(nodeId, call, context, handler);
  }

  private boolean hasTime(BulkPolicy.Merge policy, RequestContext context) {
    return !context.deadline().exists()
        || context.deadline().leftNanos(nanoTime.getAsLong())
            > WAITS_LEFT * policy.within().toNanos();
  }

  /** A small bulk's part; null for another. */
  @SuppressWarnings("unchecked") // the answer to such a request
  private static @Nullable Part part(
      BulkPolicy.Merge policy, BulkShardRequest request, Part.Ask<?> ask) {
    BulkItemRequest[] items = request.items();
    String index = request.shardId().getIndexName();
    if (items.length > policy.small()
        || !IndexNames.isNamed(policy.indices(), items[0].index(), index)) {
      return null;
    }
    long bytes = 0;
    for (BulkItemRequest item : items) {
      if (item.request().opType() == DocWriteRequest.OpType.UPDATE) {
        return null; // may run a script, and answer with documents
      }
      if (item.request() instanceof IndexRequest document && document.source() != null) {
        bytes += document.source().length();
      }
    }
    return bytes > policy.maxBytes().bytes() / 2
        ? null
        : new Part(request, bytes, (Part.Ask<BulkShardResponse>) ask);
  }

  private @Nullable Lanes lanes(Executor home) {
    Lanes known = homes.get(home);
    if (known != null || homes.size() >= MOST_HOMES) {
      return known;
    }
    return homes.computeIfAbsent(home, of -> new Lanes());
  }
}
