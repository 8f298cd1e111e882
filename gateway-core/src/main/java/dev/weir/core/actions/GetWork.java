package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.rest.PassThroughReasons;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.routing.Preference;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.index.Index;

final class GetWork extends ShardReadWork<GetRequest, GetResponse> {
  private final ActionListener<GetResponse> listener;

  GetWork(
      DocumentActionServices tools,
      GetRequest request,
      RequestContext context,
      ActionListener<GetResponse> listener) {
    super(tools, request, context);
    this.listener = listener;
  }

  @Override
  String operationName() {
    return "get";
  }

  @Override
  void prepareRequest(ClusterState state, Index index) {
    DocumentReadChecks.requireNonSystemIndex(state, index);
    GetRequest get = request();
    get.routing(state.metadata().resolveIndexRouting(get.routing(), get.index()));
    if (get.routing() == null && state.metadata().routingRequired(index.getName())) {
      throw new RoutingMissingException(index.getName(), get.id());
    }
  }

  @Override
  ShardTarget target(ClusterView view, Index index) {
    GetRequest get = request();
    String preference =
        DocumentShardResolver.effectivePreference(view, index, get.realtime(), get.preference());
    ShardTarget target =
        DocumentShardResolver.readTarget(view, index, get.id(), get.routing(), preference);
    if (target == null) {
      throw new PassThroughException(PassThroughReasons.SHARDS_PREFERENCE);
    }
    return target;
  }

  @Override
  public NodeCall<GetResponse> call() {
    if (identity() == null) {
      return call(GetAction.NAME + "[s]", GetAction.INSTANCE.getResponseReader());
    }
    // a node authorizes a get, but not that of a shard
    String preference = request().preference();
    if (preference == null || DocumentShardResolver.isRejectedByNodes(preference)) {
      request().preference(Preference.LOCAL.type());
    }
    return call(GetAction.NAME, GetAction.INSTANCE.getResponseReader());
  }

  @Override
  void onReply(GetResponse reply) {
    listener.onResponse(reply);
  }

  @Override
  public void onFailure(Exception cause) {
    listener.onFailure(cause);
  }
}
