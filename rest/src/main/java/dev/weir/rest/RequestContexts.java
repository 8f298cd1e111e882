package dev.weir.rest;

import dev.weir.model.Deadline;
import dev.weir.model.DeadlineResolver;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestContext;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.util.concurrent.ThreadContext;

/**
 * Creates the contexts of one request's actions: the request's own, and those of its parts. They
 * have the request's deadline, headers, policy and memory. Confined to the request's executor.
 */
final class RequestContexts {
  private final HttpExchange exchange;
  private final DeadlineResolver deadlines;
  private final RequestTasks tasks;
  private final Executor scope;
  private final WriteMemoryAccount memory;
  private final ThreadContext threadContext;
  private Deadline requestedDeadline = Deadline.NONE;
  private @Nullable RequestContext own;

  /**
   * Creates no context yet.
   *
   * @param scope runs a task at once within the request's thread context
   * @param threadContext has the request's headers while a task of the request runs
   */
  RequestContexts(
      HttpExchange exchange,
      DeadlineResolver deadlines,
      RequestTasks tasks,
      Executor scope,
      WriteMemoryAccount memory,
      ThreadContext threadContext) {
    this.exchange = exchange;
    this.deadlines = deadlines;
    this.tasks = tasks;
    this.scope = scope;
    this.memory = memory;
    this.threadContext = threadContext;
  }

  /**
   * Reads the client's deadline.
   *
   * @throws IllegalArgumentException if its notation is invalid
   */
  void readDeadline() {
    requestedDeadline = deadlines.resolveRequested(exchange);
  }

  /** Returns the request's own context; null before its first action. */
  @Nullable RequestContext own() {
    return own;
  }

  /**
   * Creates the request's own context, with the headers in the current thread context.
   *
   * @param write the action changes documents
   */
  RequestContext createOwn(long taskId, boolean write) {
    RequestContext created = create(taskId);
    own = created;
    if (exchange.isInternal()) {
      created.markInternal();
    }
    created.limitDeadline(
        requestedDeadline.isSet() ? requestedDeadline : deadlines.resolveDefault(exchange, write));
    created.resources().setTrace(exchange.trace());
    if (write) {
      memory.markAsWrite();
    } else {
      created.resources().setMemoryWait(memory.memoryWait());
    }
    if (ExplanationHeader.isSet(exchange)) {
      created.search().requestExplanation();
    }
    return created;
  }

  /**
   * Creates a context for one of several actions of the request. Unless the client sets a deadline
   * for all of them, each action has the time of a whole request.
   *
   * @param nowNanos the start of that time
   */
  RequestContext createPart(long taskId, long nowNanos) {
    RequestContext part = create(taskId);
    part.limitDeadline(
        requestedDeadline.isSet()
            ? requestedDeadline
            : deadlines.resolveDefault(new ArrivalTimeOverride(exchange, nowNanos), false));
    part.resources().setTrace(exchange.trace().newSubTrace());
    return part;
  }

  private RequestContext create(long taskId) {
    RequestContext created =
        new RequestContext(
            tasks.executor(),
            scope,
            taskId,
            TransportHeaders.merge(threadContext.getHeaders(), exchange.identity()),
            exchange.tenant());
    created.setClientAddress(exchange.remoteAddress());
    created.setOriginalRequest(exchange.method(), exchange.uri());
    created.resources().inheritFrom(exchange);
    created.resources().setMemory(memory);
    return created;
  }

  /**
   * Creates a context for an action that may outlive the request; it has the request's headers and
   * policy.
   */
  RequestContext createDetached(long taskId) {
    RequestContext detached =
        new RequestContext(
            tasks.executor(),
            Runnable::run,
            taskId,
            own == null ? Map.of() : own.transportHeaders(),
            exchange.tenant());
    detached.resources().inheritFrom(exchange);
    return detached;
  }
}
