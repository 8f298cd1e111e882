package dev.weir.gateway.actions;

import dev.weir.gateway.cluster.ClusterView;
import dev.weir.gateway.cluster.DocShards;
import dev.weir.gateway.cluster.ShardTarget;
import dev.weir.gateway.coordinate.ReadPlan;
import dev.weir.gateway.coordinate.ReadWork;
import dev.weir.gateway.parse.PassThroughReasons;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.support.TransportActions;
import org.opensearch.action.support.single.shard.SingleShardDoor;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

/** One get. The document's source stays a slice of the node's frame until the request ends. */
final class GetWork implements ReadWork<GetResponse> {
  private final DocumentTools tools;
  private final GetRequest request;
  private final RequestContext context;
  private final ActionListener<GetResponse> listener;

  GetWork(
      DocumentTools tools,
      GetRequest request,
      RequestContext context,
      ActionListener<GetResponse> listener) {
    this.tools = tools;
    this.request = request;
    this.context = context;
    this.listener = listener;
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
    DocumentReads.requireOurs(state, index);
    request.routing(state.metadata().resolveIndexRouting(request.routing(), request.index()));
    if (request.routing() == null && state.metadata().routingRequired(index.getName())) {
      throw new RoutingMissingException(index.getName(), request.id());
    }
    DocumentReads.checkBlock(
        state.blocks().indexBlockedException(ClusterBlockLevel.READ, index.getName()));
    ShardTarget target =
        DocShards.read(
            view,
            index,
            request.id(),
            request.routing(),
            DocShards.getPreference(view, index, request.realtime(), request.preference()));
    if (target == null) {
      throw new PassThroughException(PassThroughReasons.SHARDS_PREFERENCE);
    }
    SingleShardDoor.shard(request, target.shardId());
    List<ShardCopy> ordered = target.order(tools.selector(), work());
    return new ReadPlan.Copies(ordered, target.free(ordered));
  }

  @Override
  public NodeCall<GetResponse> call() {
    return new NodeCall<>(
        GetAction.NAME + "[s]",
        request,
        GetAction.INSTANCE.getResponseReader(),
        ChannelKind.READ,
        context.transportHeaders(),
        Duration.ZERO);
  }

  @Override
  public boolean isCopyMissing(Exception failure) {
    return TransportActions.isShardNotAvailableException(failure);
  }

  @Override
  public void answered(GetResponse reply, ReplyFrame frame) {
    frame.retain();
    context.onEnd(frame::release);
    listener.onResponse(reply);
  }

  @Override
  public void exhausted(@Nullable Exception last) {
    listener.onFailure(DocumentReads.exhausted(request, last));
  }

  @Override
  public void failed(Exception why) {
    listener.onFailure(why);
  }
}
