package dev.weir.core.actions;

import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.PassThroughReasons;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/**
 * Every action that the gateway coordinates itself, by name; other actions pass through to a node.
 * Immutable; safe on any thread.
 */
public final class ActionRegistry implements ActionExecutor {
  private final Map<String, ActionHandler<?, ?>> handlers;

  private ActionRegistry(Map<String, ActionHandler<?, ?>> handlers) {
    this.handlers = Map.copyOf(handlers);
  }

  /** Starts with no action. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    ActionHandler<Q, R> handler = find(action);
    if (handler == null) {
      throw new PassThroughException(PassThroughReasons.NOT_COORDINATED);
    }
    handler.handle(request, context, listener);
  }

  /** Safe: {@link Builder#register} pairs each name with the types of its own action. */
  @SuppressWarnings("unchecked")
  private <Q extends ActionRequest, R extends ActionResponse> @Nullable ActionHandler<Q, R> find(
      ActionType<R> action) {
    return (ActionHandler<Q, R>) handlers.get(action.name());
  }

  /** Collects handlers; not thread-safe. */
  public static final class Builder {
    private final Map<String, ActionHandler<?, ?>> handlers = new HashMap<>();

    private Builder() {}

    /**
     * Adds the handler of an action.
     *
     * @param request the class of the action's requests, checked on each call
     */
    public <Q extends ActionRequest, R extends ActionResponse> Builder register(
        ActionType<R> action, Class<Q> request, ActionHandler<Q, R> handler) {
      ActionHandler<Q, R> checked =
          (any, context, listener) -> handler.handle(request.cast(any), context, listener);
      if (handlers.putIfAbsent(action.name(), checked) != null) {
        throw new IllegalArgumentException(
            "got a second handler for " + action.name() + " (expected: one an action)");
      }
      return this;
    }

    /** Builds the registry. */
    public ActionRegistry build() {
      return new ActionRegistry(handlers);
    }
  }
}
