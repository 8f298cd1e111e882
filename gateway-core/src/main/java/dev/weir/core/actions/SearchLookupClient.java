package dev.weir.core.actions;

import dev.weir.core.reduce.SearchCaller;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.transport.client.support.AbstractClient;

/**
 * Has any node carry out whole actions, for lookups while a query is rewritten. Tries another node
 * only when nothing was sent to the one before.
 */
final class SearchLookupClient extends AbstractClient {
  private static final int MOST_NODES = 3;

  private final SearchSetup setup;
  private final RequestContext context;
  private final SearchCaller caller;

  SearchLookupClient(SearchSetup setup, RequestContext context, SearchCaller caller) {
    super(setup.registries().settings(), null);
    this.setup = setup;
    this.context = context;
    this.caller = caller;
  }

  @Override
  protected <Q extends ActionRequest, R extends ActionResponse> void doExecute(
      ActionType<R> action, Q request, ActionListener<R> listener) {
    List<String> nodes = new ArrayList<>(setup.environment().views().current().nodes().keySet());
    if (!nodes.isEmpty()) {
      Collections.rotate(nodes, Math.floorMod(context.taskId(), nodes.size())); // in turn
    }
    tryNext(nodes.stream().limit(MOST_NODES).iterator(), action, request, listener);
  }

  private <Q extends ActionRequest, R extends ActionResponse> void tryNext(
      Iterator<String> nodes, ActionType<R> action, Q request, ActionListener<R> listener) {
    if (!nodes.hasNext()) {
      listener.onFailure(NodeFailure.unknownNode("any").exception());
      return;
    }
    String nodeId = nodes.next();
    setup
        .environment()
        .sender()
        .send(
            nodeId,
            Phase.GET,
            caller.on(nodeId).child(action.name(), request, action.getResponseReader()),
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
              public void onFailure(NodeFailure failure) {
                if (failure.kind() == NodeFailure.Kind.NOT_SENT && nodes.hasNext()) {
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
