package dev.weir.rest;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Category;
import dev.weir.model.RequestTrace;
import dev.weir.model.RoutingDecisions;
import dev.weir.model.StreamingResponse;
import dev.weir.protocol.RequestFrameBudget;
import dev.weir.rest.estimate.NodeHeapLimit;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
import org.opensearch.rest.RestRequest;
import org.opensearch.tasks.TaskResourceTrackingService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * One request in OpenSearch's REST layer. It keeps the request's thread context between tasks, and
 * ensures that the request gets one response or one pass-through, and ends once. Confined to the
 * request's executor unless a method says otherwise: the exchange's event loop, or, for a long
 * read, an executor of its own.
 */
final class RestExchange {
  private static final Logger LOG = LoggerFactory.getLogger(RestExchange.class);
  private static final String CURRENT_EXCHANGE_KEY = "weir.exchange";

  private final HttpExchange exchange;
  private final RestThreadContext restThreadContext;
  private final ThreadContext threadContext;
  private final ExchangeHttpChannel channel = new ExchangeHttpChannel(this);
  private final List<Runnable> endListeners = new ArrayList<>(2);
  private final WriteMemoryAccount memory;
  private final LongRequestPool longRequests;
  private final NodeHeapLimit nodeHeap;
  private final long number;
  private final RequestTasks tasks;
  private StoredContext stored;
  private final RequestedContent content = new RequestedContent();
  private final RequestContexts contexts;
  private boolean isNumberUsed;
  private @Nullable ExchangeRestChannel restChannel;
  private @Nullable Consumer<Throwable> onDefect;
  private RestExchangeState state = RestExchangeState.OPEN;

  /** Set on the event loop before the request's own tasks learn of it. */
  private volatile boolean clientGone;

  /**
   * Takes over an exchange; called on its event loop.
   *
   * @param number the gateway's own number of the request
   */
  RestExchange(
      HttpExchange exchange,
      RestThreadContext restThreadContext,
      RequestServices services,
      NodeHeapLimit nodeHeap,
      long number) {
    this.number = number;
    this.nodeHeap = nodeHeap;
    this.longRequests = services.longRequests();
    this.exchange = exchange;
    this.tasks = new RequestTasks(exchange);
    this.memory = new WriteMemoryAccount(exchange.memory());
    this.restThreadContext = restThreadContext;
    this.threadContext = restThreadContext.threadContext();
    this.stored = restThreadContext.empty();
    this.contexts =
        new RequestContexts(
            exchange, services.deadlines(), tasks, this::run, memory, threadContext);
    exchange.assignTaskId(number);
    exchange.onDisconnect(() -> {
      clientGone = true;
      tasks.fromEventLoop(() -> run(this::onClientGone));
    });
  }

  /** Returns the exchange of the code that is running. */
  static RestExchange current(ThreadContext threadContext) {
    RestExchange current = threadContext.getTransient(CURRENT_EXCHANGE_KEY);
    return Objects.requireNonNull(current, "got no exchange (expected: a task of a request)");
  }

  /**
   * Reserves memory for the parsed request until it ends.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if the limit is reached
   */
  void reserveMemory(long bytes) {
    MemoryRejection rejection = memory().reserve(Category.PARSED_BODY, bytes);
    if (rejection != null) {
      throw RequestFrameBudget.exception(rejection);
    }
    onEnd(() -> memory().release(Category.PARSED_BODY, bytes));
  }

  /** Returns true if a client that gets 429 for lack of memory may retry. */
  boolean isRetryable() {
    return memory.isRetryable();
  }

  /** Returns the request's memory account. */
  WriteMemoryAccount memory() {
    return memory;
  }

  /** Returns where long requests run. */
  LongRequestPool longRequests() {
    return longRequests;
  }

  /** Returns what bounds the bodies that pass through. */
  NodeHeapLimit nodeHeap() {
    return nodeHeap;
  }

  /** Returns the gateway's own number of the request. */
  long number() {
    return number;
  }

  /** Returns what runs the request's tasks: the event loop, unless the request has moved. */
  Executor executor() {
    return tasks.executor();
  }

  /** Queues a task of the request, within its thread context. Safe on any thread. */
  void runLater(Runnable task) {
    executor().execute(() -> run(task));
  }

  /**
   * Moves the request from its event loop to another executor, where it stays. Called on the event
   * loop, before the request has a context.
   *
   * @param first runs there, within the request's thread context, after the present task
   */
  void moveTo(Executor other, Runnable first) {
    tasks.moveTo(other, () -> run(first));
  }

  /** Returns the number of the next task; the first task has the request's own number. */
  long nextTaskId(LongSupplier more) {
    if (isNumberUsed) {
      return more.getAsLong();
    }
    isNumberUsed = true;
    return number;
  }

  /** Returns what creates the contexts of the request's actions. */
  RequestContexts contexts() {
    return contexts;
  }

  /** Returns what the client asks for in the response. */
  RequestedContent content() {
    return content;
  }

  HttpExchange http() {
    return exchange;
  }

  ThreadContext threadContext() {
    return threadContext;
  }

  ExchangeHttpChannel channel() {
    return channel;
  }

  SocketAddress remoteAddress() {
    return exchange.remoteAddress();
  }

  void setRestChannel(ExchangeRestChannel newChannel) {
    restChannel = newChannel;
  }

  /**
   * Runs a task in the request's thread context, which is empty at first. A failure becomes the
   * response.
   */
  void run(Runnable task) {
    RestExchange around = threadContext.getTransient(CURRENT_EXCHANGE_KEY);
    if (around == this) {
      task.run();
      return;
    }
    switchLogTrace(around, this);
    StoredContext before = restThreadContext.snapshot();
    stored.restore();
    Object restored = restThreadContext.present();
    if (threadContext.getTransient(CURRENT_EXCHANGE_KEY) == null) { // the first task
      threadContext.putTransient(CURRENT_EXCHANGE_KEY, this);
    }
    try {
      task.run();
    } catch (Throwable failure) {
      fail(failure);
    } finally {
      if (!restThreadContext.isPresent(restored)) {
        stored = threadContext.newStoredContext(false);
      }
      before.restore();
      switchLogTrace(this, around);
    }
  }

  /** Switches the trace id in this thread's log lines. */
  private static void switchLogTrace(@Nullable RestExchange before, @Nullable RestExchange now) {
    if (now != null && now.exchange.trace().isRecording()) {
      MDC.put(RequestTrace.LOG_FIELD, now.exchange.trace().traceId());
    } else if (before != null && before.exchange.trace().isRecording()) {
      MDC.remove(RequestTrace.LOG_FIELD);
    }
  }

  private void fail(Throwable failure) {
    if (failure instanceof StackOverflowError) {
      fail(TooDeepRequestException.create(exchange));
      return;
    }
    if (!(failure instanceof TooDeepRequestException)) {
      LOG.error("request {} {} failed by a defect", exchange.method(), exchange.uri(), failure);
    }
    tasks.onEventLoop(exchange::retainBody);
    stopWork();
    Consumer<Throwable> breaking = onDefect;
    if (breaking != null) {
      onDefect = null;
      breaking.accept(failure);
    }
    if (restChannel == null) {
      passThrough(PassThroughReasons.INTERNAL_ERROR);
    } else if (!isClosed()) {
      try {
        restChannel.sendFailure(failure);
      } catch (Throwable again) {
        LOG.error("can't write the failure of {} {}", exchange.method(), exchange.uri(), again);
        respond(MinimalErrorResponse.create(this::onReleased));
      }
    }
  }

  /** Cancels the running actions and ignores their results. */
  private void stopWork() {
    RequestContext context = contexts.own();
    if (context == null) {
      return;
    }
    if (!isClosed()) {
      moveTo(RestExchangeState.STOPPING);
    }
    try {
      context.cancel("failed by a defect");
    } catch (Throwable e) {
      LOG.error("can't stop {} {}", exchange.method(), exchange.uri(), e);
    } finally {
      if (state == RestExchangeState.STOPPING) {
        moveTo(RestExchangeState.OPEN);
      }
    }
  }

  /**
   * Returns the request's own context. The first call creates it, with the headers in the current
   * thread context.
   *
   * @param write the action changes documents
   */
  RequestContext context(long taskId, boolean write) {
    RequestContext existing = contexts.own();
    if (existing != null) {
      return existing;
    }
    RequestContext created = contexts.createOwn(taskId, write);
    content.applyTo(created.search());
    if (state == RestExchangeState.ENDED) {
      created.end();
    }
    return created;
  }

  /**
   * Copies the response headers of nodes to the thread context, which adds them to the response. A
   * repeated value counts once.
   */
  void takeNodeHeaders() {
    RequestContext context = contexts.own();
    if (context == null) {
      return;
    }
    RoutingDecisions notes = context.search().routingDecisions();
    if (notes != null && context.search().isExplanationRequested()) {
      threadContext.addResponseHeader(RequestContext.EXPLAIN_HEADER, notes.toJson());
    }
    context
        .response()
        .headers()
        .forEach((name, values) -> {
          if (!name.equals(TaskResourceTrackingService.TASK_RESOURCE_USAGE)
              && !ExchangeHttpRequest.isNodeInternal(name)) {
            values.forEach(value -> threadContext.addResponseHeader(name, value));
          }
        });
  }

  /** Registers an action that runs once, when nothing more is sent for this request. */
  void onEnd(Runnable action) {
    if (state == RestExchangeState.ENDED) {
      action.run();
    } else {
      endListeners.add(action);
    }
  }

  /** Returns whether the client has disconnected, if only just now. Safe on any thread. */
  boolean isClientGone() {
    return clientGone;
  }

  /** Returns whether the request has a user for whom no action has started: a node then answers. */
  boolean isUnauthorized() {
    return contexts.own() == null
        && exchange.identity() != null
        && content.requiredFormat() == null;
  }

  private void moveTo(RestExchangeState next) {
    assert state.canMoveTo(next) : "got a move from " + state + " to " + next;
    state = next;
  }

  /** Returns true if a response would be ignored. */
  boolean isClosed() {
    return state.isClosed();
  }

  /** Responds. The end of the response calls {@code reply}'s {@code onReleased}, on any thread. */
  void respond(BufferedResponse reply) {
    markResponded();
    RequestContext context = contexts.own();
    if (clientGone && context != null) {
      context.abandon();
    }
    boolean retained = context != null && context.resources().isBodyRetained();
    boolean incomplete = context != null && context.response().isIncomplete();
    tasks.onEventLoop(() -> {
      if (retained) {
        exchange.retainBody();
      }
      if (incomplete) {
        exchange.markIncomplete();
      }
      exchange.respond(reply);
    });
  }

  /** Responds with a stream. Its end calls {@code reply}'s {@code onReleased}. */
  void respond(StreamingResponse reply) {
    markResponded();
    tasks.onEventLoop(() -> exchange.respond(reply));
  }

  private void markResponded() {
    if (state != RestExchangeState.ENDED) {
      moveTo(RestExchangeState.RESPONDED);
    }
  }

  /** Registers the handler that aborts a started response when a part of the request fails. */
  void setDefectHandler(Consumer<Throwable> action) {
    onDefect = action;
  }

  /** Creates the writer of a multi-search's parts; null if the format needs the whole response. */
  @Nullable MultiSearchPartWriter newPartWriter(RestRequest request, int parts) {
    ExchangeRestChannel channels = restChannel;
    return channels == null ? null : channels.newPartWriter(request, parts);
  }

  /** Opens an output for a part of the response; the request's memory covers it. */
  BytesStreamOutput newOutput(int expectedBytes) {
    ExchangeRestChannel channels =
        Objects.requireNonNull(restChannel, "got no channel (expected: an answer under way)");
    return channels.newPartOutput(expectedBytes);
  }

  /** Returns an empty set of outputs for one part of the response; they close with the request. */
  ResponsePartOutputs newPartOutputs() {
    ExchangeRestChannel channels =
        Objects.requireNonNull(restChannel, "got no channel (expected: an answer under way)");
    return channels.newPartOutputs();
  }

  /**
   * Returns the reason to pass a request through that failed; null if the failure is the answer.
   */
  @Nullable String passThroughReason(Throwable failure) {
    return content.requiredFormat() == null
        ? PassThroughClassifier.passThroughReason(failure)
        : PassThroughClassifier.reasonWithoutNode(failure);
  }

  /** Passes the request through to a node; ignored after a response. */
  void passThrough(String reason) {
    ExchangeRestChannel answers = restChannel;
    String form = content.requiredFormat();
    if (form != null && answers != null) {
      if (!isClosed()) {
        run(() -> answers.sendFailure(PassThroughReasons.unsupportedByNodes(form, reason)));
      }
      return;
    }
    if (!isClosed()) {
      tasks.onEventLoop(() -> exchange.passThrough(reason));
      end();
    }
  }

  /** Cancels the request after its client stopped waiting. */
  void cancel(String reason) {
    if (!isClosed()) {
      RequestContext context = contexts.own();
      if (context != null) {
        context.cancel(reason);
      }
      end();
      tasks.onEventLoop(exchange::drop);
    }
  }

  /** Handles a disconnect, which may happen during the response. */
  private void onClientGone() {
    channel.close();
    RequestContext context = contexts.own();
    if (state == RestExchangeState.RESPONDED && context != null) {
      context.abandon();
    }
  }

  /** Ends the request after its last byte was sent. Called on any thread. */
  void onReleased() {
    tasks.fromAnyThread(this::end);
  }

  private void end() {
    if (state == RestExchangeState.ENDED) {
      return;
    }
    moveTo(RestExchangeState.ENDED);
    RequestContext context = contexts.own();
    if (context != null) {
      context.end();
    }
    List<Runnable> actions = List.copyOf(endListeners);
    endListeners.clear();
    actions.forEach(Runnable::run);
    channel.close();
  }
}
