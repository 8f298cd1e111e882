package dev.weir.rest;

import dev.weir.model.RequestContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/** Records actions; the test answers them. */
public final class RecordingExecutor implements ActionExecutor {
  /** One recorded action. */
  public record Call(
      String action, ActionRequest request, RequestContext context, ActionListener<?> listener) {
    @SuppressWarnings("unchecked")
    public <R extends ActionResponse> void answer(R response) {
      ((ActionListener<R>) listener).onResponse(response);
    }

    public void fail(Exception failure) {
      listener.onFailure(failure);
    }
  }

  private final List<Call> calls = new ArrayList<>();
  private @Nullable RuntimeException thrown;
  private Runnable before = () -> {};

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    before.run();
    if (thrown != null) {
      throw thrown;
    }
    calls.add(new Call(action.name(), request, context, listener));
  }

  /** The exception to throw instead of recording. */
  void throwing(RuntimeException failure) {
    thrown = failure;
  }

  /** Runs first at each action. */
  void before(Runnable action) {
    before = action;
  }

  /** Returns all calls so far. */
  public List<Call> calls() {
    return calls;
  }

  /** Drops the calls so far. */
  public void forget() {
    calls.clear();
  }

  /** Returns the only call. */
  public Call only() {
    if (calls.size() != 1) {
      throw new AssertionError("got " + calls.size() + " actions (expected: 1)");
    }
    return calls.getFirst();
  }

  boolean wasCalled() {
    return !calls.isEmpty();
  }
}
