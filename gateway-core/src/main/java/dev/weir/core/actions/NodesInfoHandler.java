package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.rest.PassThroughReasons;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.opensearch.action.admin.cluster.node.info.NodesInfoAction;
import org.opensearch.action.admin.cluster.node.info.NodesInfoRequest;
import org.opensearch.action.admin.cluster.node.info.NodesInfoResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;

/**
 * Has one node ask the others for their information, and another one when that one can't be
 * reached. A filter that no node matches passes through: it may be an endpoint of a plugin.
 */
final class NodesInfoHandler implements ActionHandler<NodesInfoRequest, NodesInfoResponse> {
  private static final int MAX_NODES_TRIED = 3;
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(30);

  private final CoordinationServices environment;

  NodesInfoHandler(CoordinationServices environment) {
    this.environment = environment;
  }

  @Override
  public void handle(
      NodesInfoRequest request,
      RequestContext context,
      ActionListener<NodesInfoResponse> listener) {
    ClusterView view = environment.views().current();
    if (view.state().nodes().resolveNodes(request.nodesIds()).length == 0
        || view.nodes().isEmpty()) {
      throw new PassThroughException(PassThroughReasons.NOT_COORDINATED);
    }
    List<String> nodeIds = view.nodes().keySet().stream().limit(MAX_NODES_TRIED).toList();
    tryNext(nodeIds.iterator(), call(request, context), context, listener);
  }

  private static NodeCall<NodesInfoResponse> call(
      NodesInfoRequest request, RequestContext context) {
    TimeValue timeout = request.timeout();
    return new NodeCall<>(
        NodesInfoAction.NAME,
        request,
        NodesInfoResponse::new,
        ChannelKind.CONTROL,
        context.transportHeaders(),
        timeout == null ? NODE_TIMEOUT : NODE_TIMEOUT.plusMillis(timeout.millis()));
  }

  private void tryNext(
      Iterator<String> nodes,
      NodeCall<NodesInfoResponse> call,
      RequestContext context,
      ActionListener<NodesInfoResponse> listener) {
    environment
        .sender()
        .sendUntracked(
            nodes.next(),
            call,
            context,
            new ReplyHandler<>() {
              @Override
              public void onReply(NodesInfoResponse reply, ReplyFrame frame) {
                listener.onResponse(reply);
              }

              @Override
              public void onFailure(NodeCallException failure) {
                if (failure.kind() == NodeCallException.Kind.REMOTE || !nodes.hasNext()) {
                  listener.onFailure(failure.exception());
                } else {
                  tryNext(nodes, call, context, listener);
                }
              }
            });
  }
}
