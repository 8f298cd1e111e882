package dev.weir.core.actions;

import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.transport.client.support.AbstractClient;

/**
 * Sends whole actions to any node, for lookups while a query is rewritten. Tries another node only
 * when nothing was sent to the one before.
 */
final class RewriteLookupClient extends AbstractClient {
  private static final int MAX_NODES_TRIED = 3;

  private final SearchActionServices setup;
  private final RequestContext context;
  private final SearchCaller caller;

  RewriteLookupClient(SearchActionServices setup, RequestContext context, SearchCaller caller) {
    super(setup.registries().settings(), null);
    this.setup = setup;
    this.context = context;
    this.caller = caller;
  }

  @Override
  protected <Q extends ActionRequest, R extends ActionResponse> void doExecute(
      ActionType<R> action, Q request, ActionListener<R> listener) {
    List<String> nodes = new ArrayList<>(setup.coordination().views().current().nodes().keySet());
    if (!nodes.isEmpty()) {
      Collections.rotate(nodes, Math.floorMod(context.taskId(), nodes.size())); // round robin
    }
    nodes.sort(Comparator.comparing(setup.selector()::isDrained)); // stable: false comes first
    tryNext(nodes.stream().limit(MAX_NODES_TRIED).iterator(), action, request, listener);
  }

  private <Q extends ActionRequest, R extends ActionResponse> void tryNext(
      Iterator<String> nodes, ActionType<R> action, Q request, ActionListener<R> listener) {
    if (!nodes.hasNext()) {
      listener.onFailure(NodeCallException.unknownNode("any").exception());
      return;
    }
    String nodeId = nodes.next();
    setup
        .coordination()
        .sender()
        .send(
            nodeId,
            Phase.GET,
            caller
                .forNode(nodeId)
                .createChildCall(action.name(), request, action.getResponseReader()),
            context,
            null,
            new ReplyHandler<R>() {
              @Override
              public void onReply(R reply, ReplyFrame frame) {
                frame.retain();
                context.onEnd(frame::release);
                listener.onResponse(reply);
              }

              @Override
              public void onFailure(NodeCallException failure) {
                if (failure.kind() == NodeCallException.Kind.NOT_SENT && nodes.hasNext()) {
                  tryNext(nodes, action, request, listener);
                } else {
                  listener.onFailure(failure.exception());
                }
              }
            });
  }

  @Override
  public void close() {}
}
