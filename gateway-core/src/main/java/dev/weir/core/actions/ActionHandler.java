package dev.weir.core.actions;

import dev.weir.model.RequestContext;
import org.opensearch.action.ActionRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/** Carries out one kind of action. Called on the context's home. */
@FunctionalInterface
public interface ActionHandler<Q extends ActionRequest, R extends ActionResponse> {
  /**
   * Carries the action out.
   *
   * @param context the request's own; cancelled when the client goes away
   * @param listener hears the outcome once, on the context's home
   * @throws dev.weir.model.PassThroughException when a node must answer itself; nothing was sent
   *     yet
   */
  void handle(Q request, RequestContext context, ActionListener<R> listener);
}
