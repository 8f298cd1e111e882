package dev.weir.gateway.actions;

import dev.weir.gateway.cluster.ClusterView;
import dev.weir.gateway.cluster.DocShards;
import dev.weir.gateway.cluster.ShardTarget;
import dev.weir.gateway.coordinate.ReadPlan;
import dev.weir.gateway.coordinate.ReadWork;
import dev.weir.gateway.reduce.MultiGetItems;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetDoor;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.action.get.MultiGetShardResponse;
import org.opensearch.action.support.TransportActions;
import org.opensearch.action.support.single.shard.SingleShardDoor;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

/** The items of a multi-get that one shard has, as {@code TransportShardMultiGetAction}. */
final class MultiGetShardWork implements ReadWork<MultiGetShardResponse> {
  private final DocumentTools tools;
  private final MultiGetShardRequest request;
  private final RequestContext context;
  private final MultiGetItems items;
  private final Runnable onOver;

  MultiGetShardWork(
      DocumentTools tools,
      MultiGetShardRequest request,
      RequestContext context,
      MultiGetItems items,
      Runnable onOver) {
    this.tools = tools;
    this.request = request;
    this.context = context;
    this.items = items;
    this.onOver = onOver;
  }

  @Override
  public ReadPlan plan(ClusterView view) {
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
    DocumentReads.checkBlock(
        state.blocks().indexBlockedException(ClusterBlockLevel.READ, index.getName()));
    ShardTarget target =
        DocShards.read(view, new ShardId(index, request.shardId()), request.preference());
    if (target == null) {
      return new ReadPlan.Copies(List.of());
    }
    SingleShardDoor.shard(request, target.shardId());
    List<ShardCopy> ordered = target.order(tools.selector(), work());
    return new ReadPlan.Copies(ordered, target.free(ordered));
  }

  @Override
  public Work work() {
    return Work.getting(MultiGetDoor.items(request).size());
  }

  @Override
  public NodeCall<MultiGetShardResponse> call() {
    return new NodeCall<>(
        MultiGetAction.NAME + "[shard][s]",
        request,
        MultiGetDoor.shardResponseReader(),
        ChannelKind.READ,
        context.transportHeaders(),
        Duration.ZERO);
  }

  @Override
  public boolean isCopyMissing(Exception failure) {
    return TransportActions.isShardNotAvailableException(failure);
  }

  @Override
  public void answered(MultiGetShardResponse reply, ReplyFrame frame) {
    frame.retain();
    context.onEnd(frame::release);
    items.answer(reply);
    onOver.run();
  }

  @Override
  public void exhausted(@Nullable Exception last) {
    failed(DocumentReads.exhausted(request, last));
  }

  @Override
  public void failed(Exception why) {
    items.fail(request, why);
    onOver.run();
  }
}
