package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.cluster.ShardTarget;
import dev.weir.core.reduce.items.MultiGetResponseCollector;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetInternals;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.action.get.MultiGetShardResponse;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** The items of a multi-get for one shard, as {@code TransportShardMultiGetAction}. */
final class MultiGetShardWork extends ShardReadWork<MultiGetShardRequest, MultiGetShardResponse> {
  private final MultiGetResponseCollector items;
  private final Runnable onOver;

  MultiGetShardWork(
      DocumentActionServices tools,
      MultiGetShardRequest request,
      RequestContext context,
      MultiGetResponseCollector items,
      Runnable onOver) {
    super(tools, request, context);
    this.items = items;
    this.onOver = onOver;
  }

  @Override
  String operationName() {
    return "mget";
  }

  @Override
  @Nullable ShardTarget target(ClusterView view, Index index) {
    ShardId shard = new ShardId(index, request().shardId());
    return DocumentShardResolver.readTarget(view, shard, request().preference());
  }

  @Override
  public NodeCallType work() {
    return NodeCallType.forGet(MultiGetInternals.items(request()).size());
  }

  @Override
  public NodeCall<MultiGetShardResponse> call() {
    return call(
        MultiGetAction.NAME + "[shard][s]",
        MultiGetInternals.shardResponseReader(StacklessFailure::of));
  }

  @Override
  void onReply(MultiGetShardResponse reply) {
    items.completeShard(reply);
    onOver.run();
  }

  @Override
  public void onFailure(Exception cause) {
    items.fail(request(), cause);
    onOver.run();
  }
}
