package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocShards;
import dev.weir.cluster.ShardTarget;
import dev.weir.core.reduce.MultiGetItems;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetDoor;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.action.get.MultiGetShardResponse;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** The items of a multi-get that one shard has, as {@code TransportShardMultiGetAction}. */
final class MultiGetShardWork extends ShardRead<MultiGetShardRequest, MultiGetShardResponse> {
  private final MultiGetItems items;
  private final Runnable onOver;

  MultiGetShardWork(
      DocumentTools tools,
      MultiGetShardRequest request,
      RequestContext context,
      MultiGetItems items,
      Runnable onOver) {
    super(tools, request, context);
    this.items = items;
    this.onOver = onOver;
  }

  @Override
  String name() {
    return "mget";
  }

  @Override
  @Nullable ShardTarget target(ClusterView view, Index index) {
    ShardId shard = new ShardId(index, request().shardId());
    return DocShards.read(view, shard, request().preference());
  }

  @Override
  public Work work() {
    return Work.getting(MultiGetDoor.items(request()).size());
  }

  @Override
  public NodeCall<MultiGetShardResponse> call() {
    return call(MultiGetAction.NAME + "[shard][s]", MultiGetDoor.shardResponseReader());
  }

  @Override
  void answered(MultiGetShardResponse reply) {
    items.answer(reply);
    onOver.run();
  }

  @Override
  public void failed(Exception why) {
    items.fail(request(), why);
    onOver.run();
  }
}
