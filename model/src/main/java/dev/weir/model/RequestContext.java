package dev.weir.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What accompanies one request through the house: where it lives, what it is called on the data
 * nodes, what to release when it ends, and whether it was cancelled. Confined to {@link
 * #eventLoop()}.
 */
public final class RequestContext {
  /** The header by which a client asks which copies were chosen, and is told. */
  public static final String EXPLAIN_HEADER = "X-Weir-Explain";

  /** The tenant of requests that are not told apart. */
  public static final String DEFAULT_TENANT = "_default";

  /** The response header that says by which profiles an answer was trimmed. */
  public static final String TRIMMED_HEADER = "X-Weir-Trimmed";

  /** The response header that says which items of a bulk had values cut. */
  public static final String TRUNCATED_HEADER = "X-Weir-Truncated";

  private final Executor eventLoop;
  private final Executor scopedExecutor;
  private final long taskId;
  private final Map<String, String> transportHeaders;
  private final String tenant;
  private final Map<String, Set<String>> responseHeaders = new LinkedHashMap<>();
  private final List<Runnable> onCancel = new ArrayList<>();
  private final List<Runnable> onEnd = new ArrayList<>();
  private final List<Runnable> onExpiry = new ArrayList<>(0);
  private final List<Runnable> abandonedCallbacks = new ArrayList<>(0);
  private Runnable deadlineExceededHandler = () -> {};
  private RequestPolicy policy = RequestPolicy.NONE;
  private String originalMethod = "";
  private String originalUri = "";
  private long retryAfterSeconds;
  private @Nullable RequestContext parent;
  private Deadline deadline = Deadline.NONE;
  private @Nullable String cancelReason;
  private boolean ended;
  private boolean abandoned;
  private boolean explanationRequested;
  private boolean internal;
  private boolean bodyRetained;
  private boolean incomplete;
  private @Nullable RoutingDecisions routingDecisions;
  private @Nullable ResponseOptions responseOptions;
  private @Nullable SamplingSpec samplingSpec;
  private RequestMemory memory = RequestMemory.UNBOUNDED;
  private RequestTrace trace = RequestTrace.NONE;

  /**
   * Makes a context.
   *
   * @param home where the request's tasks run, one at a time
   * @param taskId this gateway's number for the request; data nodes know it as the parent task's id
   * @param transportHeaders thread-context headers to send with every request to a node, such as
   *     X-Opaque-Id
   */
  public RequestContext(Executor home, long taskId, Map<String, String> transportHeaders) {
    this(home, Runnable::run, taskId, transportHeaders);
  }

  /**
   * Makes a context that puts something around every part of a request that is not told apart from
   * others by its tenant.
   *
   * @param scope runs a task at once, on the calling thread, with what belongs to the request
   *     around it: its thread-bound headers, and an answer to the client where the task fails
   */
  public RequestContext(
      Executor home, Executor scope, long taskId, Map<String, String> transportHeaders) {
    this(home, scope, taskId, transportHeaders, DEFAULT_TENANT);
  }

  /**
   * Makes a context of a tenant's request.
   *
   * @param scope as above
   * @param tenant whose request it is
   */
  public RequestContext(
      Executor home,
      Executor scope,
      long taskId,
      Map<String, String> transportHeaders,
      String tenant) {
    this.eventLoop = home;
    this.scopedExecutor = scope;
    this.taskId = taskId;
    this.transportHeaders = Map.copyOf(transportHeaders);
    this.tenant = tenant;
  }

  /** A context of a part of the request, which is not cancelled and does not end with it. */
  public RequestContext newSubContext() {
    RequestContext part =
        new RequestContext(eventLoop, this::run, taskId, transportHeaders, tenant);
    part.parent = this;
    part.deadline = deadline;
    part.memory = memory;
    part.policy = policy;
    part.internal = internal;
    part.trace = trace.newSubTrace();
    part.setOriginalRequest(originalMethod, originalUri);
    return part;
  }

  /** Where the request lives. */
  public Executor eventLoop() {
    return eventLoop;
  }

  /**
   * Runs a part of the request at once with what belongs to the request around it; called on {@link
   * #eventLoop()} by whoever brings it back there: a node's reply, a timer. Within itself it does
   * nothing more.
   */
  public void run(Runnable task) {
    scopedExecutor.execute(task);
  }

  /**
   * Runs a part of the request in a later task on {@link #eventLoop()}, with what belongs to the
   * request around it. Safe on any thread.
   */
  public void runLater(Runnable task) {
    eventLoop.execute(() -> run(task));
  }

  /** This gateway's number for the request. */
  public long taskId() {
    return taskId;
  }

  /** Whose request it is; bounded in length; {@link #DEFAULT_TENANT} where that is not known. */
  public String tenant() {
    return tenant;
  }

  /** The policy that it goes by. */
  public RequestPolicy policy() {
    return policy;
  }

  /** Says by which policy it goes. */
  public void setPolicy(RequestPolicy own) {
    policy = own;
  }

  /** Says that no client waits for it. */
  public void markInternal() {
    internal = true;
  }

  /** Whether no client waits for it: what becomes of it is not told among clients' requests. */
  public boolean isInternal() {
    return internal;
  }

  /** Thread-context headers for the nodes. */
  public Map<String, String> transportHeaders() {
    return transportHeaders;
  }

  /** Until when the answer is waited for; {@link Deadline#NONE} for as long as it takes. */
  public Deadline deadline() {
    return deadline;
  }

  /** The answer is waited for until then at most. */
  public void limitDeadline(Deadline other) {
    deadline = deadline.earlierOf(other);
  }

  /**
   * Tells what the client asked for.
   *
   * @param method the method
   * @param uri path and query as sent
   */
  public void setOriginalRequest(String method, String uri) {
    originalMethod = method;
    originalUri = uri;
  }

  /**
   * What the client asked for, by method, path and query, not longer than a line; empty when
   * unknown.
   */
  public String requestSummary() {
    return originalMethod.isEmpty() ? "" : DisplayFormat.formatRequest(originalMethod, originalUri);
  }

  /**
   * The client may come again after so many seconds; the longest time counts that is said of any
   * part of the request.
   */
  public void extendRetryAfter(long seconds) {
    if (parent != null) {
      parent.extendRetryAfter(seconds);
      return;
    }
    retryAfterSeconds = Math.max(retryAfterSeconds, seconds);
    Set<String> said = responseHeaders.computeIfAbsent("Retry-After", n -> new LinkedHashSet<>());
    said.clear();
    said.add(Long.toString(retryAfterSeconds));
  }

  /**
   * Adds response headers that a node sent with its answer (such as Warning); repeated values count
   * once.
   */
  public void addResponseHeaders(Map<String, ? extends Iterable<String>> headers) {
    headers.forEach((name, values) ->
        values.forEach(
            value -> responseHeaders.computeIfAbsent(name, n -> new LinkedHashSet<>()).add(value)));
  }

  /** The response headers that nodes sent so far, by name. */
  public Map<String, Set<String>> responseHeaders() {
    return responseHeaders;
  }

  /** A part of the answer is missing because nodes are gone, and no other one has it. */
  public void markIncomplete() {
    if (parent == null) {
      incomplete = true;
    } else {
      parent.markIncomplete();
    }
  }

  /** Whether a part of the answer is missing because nodes are gone. */
  public boolean isIncomplete() {
    return incomplete;
  }

  /** The client wants to know which copies were chosen. */
  public void requestExplanation() {
    explanationRequested = true;
  }

  /** Whether the client wants to know which copies were chosen. */
  public boolean isExplanationRequested() {
    return explanationRequested;
  }

  /** Says what the client wants of the answer; null where it is none to a search. */
  public void setResponseOptions(@Nullable ResponseOptions said) {
    responseOptions = said;
  }

  /** What the client wants of the answer; null where it is none to a search. */
  public @Nullable ResponseOptions responseOptions() {
    return responseOptions;
  }

  /** Says from which part of its shards the search is to be answered; null for all. */
  public void setSamplingSpec(@Nullable SamplingSpec said) {
    samplingSpec = said;
  }

  /** From which part of its shards the search is to be answered; null for all. */
  public @Nullable SamplingSpec samplingSpec() {
    return samplingSpec;
  }

  /** Says who keeps which copies this request chose among. */
  public void setRoutingDecisions(RoutingDecisions by) {
    routingDecisions = by;
  }

  /** Who keeps which copies this request chose among; null while there was nothing to choose. */
  public @Nullable RoutingDecisions routingDecisions() {
    return routingDecisions;
  }

  /** Says where the memory that is taken for the request is paid for. */
  public void setMemory(RequestMemory by) {
    memory = by;
  }

  /** Where the memory that is taken for the request is paid for. */
  public RequestMemory memory() {
    return memory;
  }

  /** Says what the request leaves in a trace. */
  public void setTrace(RequestTrace by) {
    trace = by;
  }

  /** What the request leaves in a trace. */
  public RequestTrace trace() {
    return trace;
  }

  /** Registers what to do on cancellation (runs at once if it was cancelled already). */
  public void onCancel(Runnable action) {
    if (cancelReason != null) {
      action.run();
    } else {
      onCancel.add(action);
    }
  }

  /**
   * Registers who answers with what there is when the deadline has passed; runs after what was
   * registered for the cancellation.
   */
  public void onExpiry(Runnable action) {
    onExpiry.add(action);
  }

  /** The deadline has passed: cancels the request, then lets it be answered with what there is. */
  public void expire(String reason) {
    cancel(reason);
    runAll(onExpiry);
  }

  /** Says who answers when somebody finds that the deadline has passed, before a timer does. */
  public void setDeadlineExceededHandler(Runnable action) {
    deadlineExceededHandler = action;
  }

  /**
   * Somebody finds that the deadline has passed, and leaves something out because of it: the
   * request must not be answered as if it were complete. Takes effect in a task of its own, before
   * all that are put on {@link #eventLoop()} later.
   */
  public void reportDeadlineExceeded() {
    runLater(() -> deadlineExceededHandler.run());
  }

  /**
   * Registers what to do when nobody gets the answer: the request is cancelled, or its client goes
   * away before it has all of it. Runs once at most, at once if it is so already.
   */
  public void onAbandoned(Runnable action) {
    if (abandoned) {
      action.run();
    } else if (!ended) {
      abandonedCallbacks.add(action);
    }
  }

  /** Nobody gets the answer; the first call counts. */
  public void abandon() {
    if (!abandoned && !ended) {
      abandoned = true;
      runAll(abandonedCallbacks);
    }
  }

  /**
   * Registers what to release when the request ends; runs exactly once, at once if it has ended
   * already.
   */
  public void onEnd(Runnable action) {
    if (ended) {
      action.run();
    } else {
      onEnd.add(action);
    }
  }

  /** Cancels the request: work on the data nodes is stopped; the first call counts. */
  public void cancel(String reason) {
    if (cancelReason == null && !ended) {
      cancelReason = reason;
      runAll(onCancel);
      abandon();
    }
  }

  /**
   * Ends the request: the answer has left or nobody waits for it any more; the first call counts.
   */
  public void end() {
    if (!ended) {
      ended = true;
      onCancel.clear();
      onExpiry.clear();
      abandonedCallbacks.clear();
      runAll(onEnd);
    }
  }

  /** The request's body may be read even when its answer has left: its memory is not used again. */
  public void retainBody() {
    bodyRetained = true;
  }

  /** Whether the request's body may be read even when its answer has left. */
  public boolean isBodyRetained() {
    return bodyRetained;
  }

  /** Why the request was cancelled, or null when it was not. */
  public @Nullable String cancelReason() {
    return cancelReason;
  }

  private static void runAll(List<Runnable> actions) {
    List<Runnable> taken = List.copyOf(actions);
    actions.clear();
    taken.forEach(Runnable::run);
  }
}
