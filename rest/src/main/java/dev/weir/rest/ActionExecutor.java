package dev.weir.rest;

import dev.weir.model.RequestContext;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/** Carries out an action that a REST handler parsed. Called on the context's home. */
public interface ActionExecutor {
  /**
   * Carries the action out.
   *
   * @param context the request's own; cancelled when the client goes away
   * @param listener receives the outcome once, on the context's event loop; a {@link
   *     dev.weir.model.PassThroughException} as the failure makes the whole request pass through to
   *     a node
   * @throws dev.weir.model.PassThroughException for the same
   */
  <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener);
}
