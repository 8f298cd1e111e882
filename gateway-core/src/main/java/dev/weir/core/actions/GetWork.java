package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocShards;
import dev.weir.cluster.ShardTarget;
import dev.weir.rest.PassThroughReasons;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.index.Index;

/** One get. */
final class GetWork extends ShardRead<GetRequest, GetResponse> {
  private final ActionListener<GetResponse> listener;

  GetWork(
      DocumentTools tools,
      GetRequest request,
      RequestContext context,
      ActionListener<GetResponse> listener) {
    super(tools, request, context);
    this.listener = listener;
  }

  @Override
  String name() {
    return "get";
  }

  @Override
  void prepare(ClusterState state, Index index) {
    DocumentReads.requireOurs(state, index);
    GetRequest get = request();
    get.routing(state.metadata().resolveIndexRouting(get.routing(), get.index()));
    if (get.routing() == null && state.metadata().routingRequired(index.getName())) {
      throw new RoutingMissingException(index.getName(), get.id());
    }
  }

  @Override
  ShardTarget target(ClusterView view, Index index) {
    GetRequest get = request();
    String preference = DocShards.getPreference(view, index, get.realtime(), get.preference());
    ShardTarget target = DocShards.read(view, index, get.id(), get.routing(), preference);
    if (target == null) {
      throw new PassThroughException(PassThroughReasons.SHARDS_PREFERENCE);
    }
    return target;
  }

  @Override
  public NodeCall<GetResponse> call() {
    return call(GetAction.NAME + "[s]", GetAction.INSTANCE.getResponseReader());
  }

  @Override
  void answered(GetResponse reply) {
    listener.onResponse(reply);
  }

  @Override
  public void failed(Exception why) {
    listener.onFailure(why);
  }
}
