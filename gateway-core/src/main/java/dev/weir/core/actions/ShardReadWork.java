package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.core.coordinate.ReadPlan;
import dev.weir.core.coordinate.ReadWork;
import dev.weir.model.ClientIdentity;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.routing.ReplicaSelector;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.support.TransportActions;
import org.opensearch.action.support.single.shard.SingleShardInternals;
import org.opensearch.action.support.single.shard.SingleShardRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

/**
 * A read of one shard, as {@code TransportSingleShardAction}. Its response stays a slice of the
 * node's frame until the request ends.
 */
abstract class ShardReadWork<Q extends SingleShardRequest<Q>, R> implements ReadWork<R> {
  private final DocumentActionServices tools;
  private final Q request;
  private final RequestContext context;

  ShardReadWork(DocumentActionServices tools, Q request, RequestContext context) {
    this.tools = tools;
    this.request = request;
    this.context = context;
  }

  /** The operation's name in messages. */
  abstract String operationName();

  /** Fills in, and checks, what depends on the index. */
  void prepareRequest(ClusterState state, Index index) {}

  /** The shard; null when it has no active copy. */
  abstract @Nullable ShardTarget target(ClusterView view, Index index);

  abstract void onReply(R reply);

  final Q request() {
    return request;
  }

  /** The user for whom the document is read; null where nodes do not authorize clients. */
  final @Nullable ClientIdentity identity() {
    return context.resources().identity();
  }

  final NodeCall<R> call(String action, Writeable.Reader<R> reader) {
    return new NodeCall<>(
        action, request, reader, ChannelKind.READ, context.transportHeaders(), Duration.ZERO);
  }

  @Override
  public final ReadPlan plan(ClusterView view) {
    try {
      return rankCopies(view);
    } catch (IndexNotFoundException | IndexClosedException | ClusterBlockException absent) {
      return new ReadPlan.Unavailable(absent);
    } catch (RuntimeException refused) {
      return new ReadPlan.Rejected(refused);
    }
  }

  private ReadPlan rankCopies(ClusterView view) {
    ClusterState state = view.state();
    DocumentReadChecks.checkBlock(state.blocks().globalBlockedException(ClusterBlockLevel.READ));
    Index index = tools.names().resolveSingle(view, request);
    prepareRequest(state, index);
    DocumentReadChecks.checkBlock(
        state.blocks().indexBlockedException(ClusterBlockLevel.READ, index.getName()));
    ShardTarget target = target(view, index);
    if (target == null) {
      return new ReadPlan.Copies(List.of());
    }
    SingleShardInternals.setShard(request, target.shardId());
    ReplicaSelector ranking = tools.selector().forPolicy(context.resources().policy());
    List<ShardCopy> ordered = target.order(ranking, work());
    ShardRoutingRecorder notes =
        tools.recentDecisions().recordRanking(context, operationName(), target, ordered, work());
    return new ReadPlan.Copies(ordered, target.interchangeableCopies(ordered), notes);
  }

  @Override
  public final boolean isCopyMissing(Exception failure) {
    return TransportActions.isShardNotAvailableException(failure);
  }

  @Override
  public final void onReply(R reply, ReplyFrame frame) {
    frame.retain();
    context.onEnd(frame::release);
    onReply(reply);
  }

  @Override
  public final void onCopiesExhausted(@Nullable Exception last) {
    onFailure(DocumentReadChecks.allCopiesFailed(request, last));
  }
}
