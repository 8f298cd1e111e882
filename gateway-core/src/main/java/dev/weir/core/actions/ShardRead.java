package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.core.coordinate.ReadPlan;
import dev.weir.core.coordinate.ReadWork;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.support.TransportActions;
import org.opensearch.action.support.single.shard.SingleShardDoor;
import org.opensearch.action.support.single.shard.SingleShardRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

/**
 * A read that one shard answers, as {@code TransportSingleShardAction}. What it answers stays a
 * slice of the node's frame until the request ends.
 */
abstract class ShardRead<Q extends SingleShardRequest<Q>, R> implements ReadWork<R> {
  private final DocumentTools tools;
  private final Q request;
  private final RequestContext context;

  ShardRead(DocumentTools tools, Q request, RequestContext context) {
    this.tools = tools;
    this.request = request;
    this.context = context;
  }

  /** What the client asked for, in a word. */
  abstract String name();

  /** Fills in, and refuses, what depends on the index. */
  void prepare(ClusterState state, Index index) {}

  /** The shard; null when it has no copy that may be asked. */
  abstract @Nullable ShardTarget target(ClusterView view, Index index);

  /** A copy answered. */
  abstract void answered(R reply);

  final Q request() {
    return request;
  }

  final NodeCall<R> call(String action, Writeable.Reader<R> reader) {
    return new NodeCall<>(
        action, request, reader, ChannelKind.READ, context.transportHeaders(), Duration.ZERO);
  }

  @Override
  public final ReadPlan plan(ClusterView view) {
    try {
      return copies(view);
    } catch (IndexNotFoundException | IndexClosedException | ClusterBlockException absent) {
      return new ReadPlan.Impossible(absent);
    } catch (RuntimeException refused) {
      return new ReadPlan.Refused(refused);
    }
  }

  private ReadPlan copies(ClusterView view) {
    ClusterState state = view.state();
    DocumentReads.checkBlock(state.blocks().globalBlockedException(ClusterBlockLevel.READ));
    Index index = tools.names().single(view, request);
    prepare(state, index);
    DocumentReads.checkBlock(
        state.blocks().indexBlockedException(ClusterBlockLevel.READ, index.getName()));
    ShardTarget target = target(view, index);
    if (target == null) {
      return new ReadPlan.Copies(List.of());
    }
    SingleShardDoor.shard(request, target.shardId());
    List<ShardCopy> ordered = target.order(tools.selector().by(context.policy()), work());
    ShardNotes notes = tools.recent().chose(context, name(), target, ordered, work());
    return new ReadPlan.Copies(ordered, target.free(ordered), notes);
  }

  @Override
  public final boolean isCopyMissing(Exception failure) {
    return TransportActions.isShardNotAvailableException(failure);
  }

  @Override
  public final void answered(R reply, ReplyFrame frame) {
    frame.retain();
    context.onEnd(frame::release);
    answered(reply);
  }

  @Override
  public final void exhausted(@Nullable Exception last) {
    failed(DocumentReads.exhausted(request, last));
  }
}
