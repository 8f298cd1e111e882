package dev.weir.rest.release;

import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ActionNames;
import dev.weir.rest.ExecutionFilter;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/**
 * Carries out actions until they are released. A released read counts as lost with its nodes, so
 * that another cluster may answer it. A released write ends with an error, a bulk item by item:
 * what a node has acknowledged by then stays acknowledged. Safe on any thread.
 *
 * @param requests the cluster's requests under way
 */
public record ReleaseFilter(ReleasableRequests requests) implements ExecutionFilter {
  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void filter(
      ActionType<R> action,
      Q request,
      RequestContext context,
      ActionListener<R> listener,
      ActionExecutor next) {
    if (context.isInternal()) {
      next.execute(action, request, context, listener);
      return;
    }
    ReleasableListener<R> releasable =
        new ReleasableListener<>(context, listener, ActionNames.isWrite(action.name()));
    releasable.addTo(requests);
    boolean begun = false;
    try {
      next.execute(action, request, context, releasable);
      begun = true;
    } finally {
      if (!begun) {
        releasable.end();
      }
    }
  }

  /** One action. Confined to its request's event loop. */
  private static final class ReleasableListener<R> implements ActionListener<R> {
    private final RequestContext context;
    private final ActionListener<R> listener;
    private final boolean write;
    private Runnable removal = () -> {};
    private boolean ended;

    ReleasableListener(RequestContext context, ActionListener<R> listener, boolean write) {
      this.context = context;
      this.listener = listener;
      this.write = write;
    }

    void addTo(ReleasableRequests requests) {
      removal =
          requests.add(context.resources().policy().name(), context::runLater, this::onReleased);
      context.onEnd(removal);
    }

    private void onReleased() {
      if (ended) {
        return;
      }
      if (write) {
        context.release("the cluster was left and does not answer");
        onFailure(ReleasedRequestException.forSentWrite()); // unless the release had it answered
      } else {
        end();
        context.cancel("the cluster was left and does not answer");
        context.response().markIncomplete();
        listener.onFailure(ReleasedRequestException.forRead());
      }
    }

    @Override
    public void onResponse(R response) {
      if (end()) {
        listener.onResponse(response);
      }
    }

    @Override
    public void onFailure(Exception failure) {
      if (end()) {
        listener.onFailure(failure);
      }
    }

    /** Ends the action; returns whether it had not ended before. */
    boolean end() {
      boolean first = !ended;
      ended = true;
      removal.run();
      return first;
    }
  }
}
