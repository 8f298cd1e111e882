package dev.weir.core.actions;

import dev.weir.model.RequestContext;
import org.opensearch.action.ActionRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/** Carries out one kind of action. Called on the context's event loop. */
@FunctionalInterface
public interface ActionHandler<Q extends ActionRequest, R extends ActionResponse> {
  /**
   * Carries out the action.
   *
   * @param context the request's own; cancelled when the client disconnects
   * @param listener hears the outcome once, on the context's event loop
   * @throws dev.weir.model.PassThroughException when a node must answer the request itself; nothing
   *     was sent yet
   */
  void handle(Q request, RequestContext context, ActionListener<R> listener);
}
