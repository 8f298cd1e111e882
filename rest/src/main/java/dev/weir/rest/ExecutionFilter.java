package dev.weir.rest;

import dev.weir.model.RequestContext;
import java.util.List;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/**
 * Sees an action that a REST handler has parsed, with its typed request, and does one of these:
 *
 * <ul>
 *   <li>continue: it calls {@code next}, with the same listener or one that observes or changes the
 *       response;
 *   <li>reject or answer: it calls the listener itself;
 *   <li>pass through: it throws {@link dev.weir.model.PassThroughException};
 *   <li>delay: it does one of the above later, on the context's event loop.
 * </ul>
 *
 * Called on the context's event loop.
 */
public interface ExecutionFilter {
  /**
   * Filters one action.
   *
   * @param context that of the HTTP request
   * @param listener hears the outcome once, on the context's event loop
   * @param next the rest of the pipeline
   */
  <Q extends ActionRequest, R extends ActionResponse> void filter(
      ActionType<R> action,
      Q request,
      RequestContext context,
      ActionListener<R> listener,
      ActionExecutor next);

  /** An executor behind filters, the first of which sees an action first. */
  static ActionExecutor chain(List<ExecutionFilter> filters, ActionExecutor last) {
    ActionExecutor chain = last;
    for (ExecutionFilter filter : filters.reversed()) {
      chain = new FilteredExecutor(filter, chain);
    }
    return chain;
  }
}
