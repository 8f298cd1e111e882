package dev.weir.rest;

import dev.weir.model.RequestContext;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/** Executes the actions that REST handlers parse. Called on the context's event loop. */
public interface ActionExecutor {
  /**
   * Executes an action.
   *
   * @param context the request's own; cancelled when the client disconnects
   * @param listener receives the response or failure once, on the context's event loop; a {@link
   *     dev.weir.model.PassThroughException} as the failure makes the whole request pass through to
   *     a node
   * @throws dev.weir.model.PassThroughException makes the whole request pass through to a node
   */
  <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener);
}
