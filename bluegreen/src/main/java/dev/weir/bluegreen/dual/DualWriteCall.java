package dev.weir.bluegreen.dual;

import dev.weir.model.Deadline;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.release.ReleasedRequestException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/**
 * One call of a session to one of its clusters: writes to the target, or reads from the source. It
 * has a deadline and a memory account, and exactly one outcome, or none once its time is up.
 * Confined to the request's event loop.
 *
 * <pre>
 *   start --> response or failure --> end
 *         --cluster left, no answer--> failure --> end
 *         --expire--> perhaps a partial response --> no outcome any more
 * </pre>
 */
final class DualWriteCall<R extends ActionResponse> implements ActionListener<R> {
  private final RequestContext clientRequest;
  private final RequestContext context;
  private final OutcomeHandler<R> handler;
  private boolean completed;

  /** What a call came to. */
  sealed interface Outcome<R> {}

  /** The cluster answered. */
  record Answered<R>(R response) implements Outcome<R> {}

  /** The cluster did not execute the call, or it is unknown whether it did. */
  record Failed<R>(Exception reason) implements Outcome<R> {}

  /** Receives the outcome of a call, and ends the call. */
  interface OutcomeHandler<R extends ActionResponse> {
    void onOutcome(DualWriteCall<R> call, Outcome<R> outcome);
  }

  /**
   * Prepares a call with the memory account and the headers of the client's request.
   *
   * @param deadline when the session stops waiting
   */
  DualWriteCall(RequestContext clientRequest, Deadline deadline, OutcomeHandler<R> handler) {
    this.clientRequest = clientRequest;
    this.handler = handler;
    this.context =
        new RequestContext(
            clientRequest.eventLoop(),
            clientRequest::run,
            clientRequest.taskId(),
            clientRequest.transportHeaders(),
            clientRequest.tenant());
    context.resources().setPolicy(clientRequest.resources().policy());
    context.limitDeadline(deadline);
    context.resources().setMemory(clientRequest.resources().memory());
  }

  /**
   * Executes the call.
   *
   * @param underWay the requests under way on the cluster; null if it can't be left
   */
  <Q extends ActionRequest> void start(
      ActionExecutor executor,
      @Nullable ReleasableRequests underWay,
      ActionType<R> action,
      Q request) {
    if (underWay != null) {
      context.onEnd(
          underWay.add(
              clientRequest.resources().policy().name(), clientRequest::runLater, this::release));
    }
    try {
      executor.execute(action, request, context, this);
    } catch (RuntimeException failure) {
      onFailure(failure);
    }
  }

  /** Fails the call: its cluster was left and does not answer. */
  private void release() {
    clientRequest.resources().retainBody();
    context.release("its cluster was left and does not answer");
    onFailure(ReleasedRequestException.forRead());
  }

  @Override
  public void onResponse(R response) {
    complete(new Answered<>(response));
  }

  @Override
  public void onFailure(Exception failure) {
    complete(new Failed<>(failure));
  }

  private void complete(Outcome<R> outcome) {
    if (!completed) {
      completed = true;
      handler.onOutcome(this, outcome);
    }
  }

  /** Ends the call at its deadline; it may still report executed writes before this returns. */
  void expire(String reason) {
    context.expire(reason);
    context.end();
    completed = true;
  }

  /** Releases what the call holds: its memory, and the documents that it received. */
  void end() {
    context.end();
  }
}
