package dev.weir.rest;

import dev.weir.model.RequestContext;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/** An executor behind one filter. */
record FilteredExecutor(ExecutionFilter filter, ActionExecutor next) implements ActionExecutor {
  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    filter.filter(action, request, context, listener, next);
  }
}
