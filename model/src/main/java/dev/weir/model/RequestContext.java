package dev.weir.model;

import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through the gateway: its identity, deadline, cancellation and end.
 * Confined to {@link #eventLoop()}, except where a method says that it is safe on any thread.
 *
 * <pre>
 *   active --cancel()----> cancelled --end()--> ended      onCancel, then onAbandoned callbacks run
 *     |  `-expire(), release() -> cancelled --end()--> ended   then onExpiry callbacks, which respond
 *     |  `-abandon()-----> active, without a client        onAbandoned callbacks run
 *     `----end()--------------------------------> ended    onEnd callbacks run
 * </pre>
 *
 * The first cancellation and the first end count; further ones do nothing.
 */
public final class RequestContext {
  /** Request header that asks which copies the gateway chose; the response carries it too. */
  public static final String EXPLAIN_HEADER = "X-Weir-Explain";

  /** The tenant of requests that no rule assigns to one. */
  public static final String DEFAULT_TENANT = "_default";

  /** Response header that names the profiles by which the gateway trimmed a response. */
  public static final String TRIMMED_HEADER = "X-Weir-Trimmed";

  /** Response header that names the items of a bulk in which the gateway truncated values. */
  public static final String TRUNCATED_HEADER = "X-Weir-Truncated";

  private final Executor eventLoop;
  private final Executor scope;
  private final long taskId;
  private final Map<String, String> transportHeaders;
  private final String tenant;
  private final ResponseMetadata response;
  private final RequestResources resources;
  private final SearchPreferences search = new SearchPreferences();
  private final OneTimeCallbacks cancelCallbacks = new OneTimeCallbacks();
  private final OneTimeCallbacks abandonCallbacks = new OneTimeCallbacks();
  private final OneTimeCallbacks endCallbacks = new OneTimeCallbacks();
  private final List<Runnable> expiryCallbacks = new ArrayList<>(0);
  private Runnable deadlineExceededHandler = () -> {};
  private String originalMethod = "";
  private String originalUri = "";
  private Deadline deadline = Deadline.NONE;
  private @Nullable SocketAddress clientAddress;
  private @Nullable String capacityTenant;
  private @Nullable String cancelReason;
  private boolean internal;
  private boolean released;

  /**
   * Creates the context of a request of {@link #DEFAULT_TENANT}.
   *
   * @param eventLoop runs the request's tasks, one at a time
   * @param taskId the gateway's number for the request; data nodes know it as the parent task's id
   * @param transportHeaders thread-context headers to send with every request to a node, such as
   *     X-Opaque-Id
   */
  public RequestContext(Executor eventLoop, long taskId, Map<String, String> transportHeaders) {
    this(eventLoop, Runnable::run, taskId, transportHeaders);
  }

  /**
   * Creates the context of a request of {@link #DEFAULT_TENANT} whose tasks run within a scope.
   *
   * @param scope runs a task at once, on the calling thread, with the request's thread-bound
   *     headers in place, and responds to the client where the task fails
   */
  public RequestContext(
      Executor eventLoop, Executor scope, long taskId, Map<String, String> transportHeaders) {
    this(eventLoop, scope, taskId, transportHeaders, DEFAULT_TENANT);
  }

  /** Creates the context of a tenant's request whose tasks run within a scope, as above. */
  public RequestContext(
      Executor eventLoop,
      Executor scope,
      long taskId,
      Map<String, String> transportHeaders,
      String tenant) {
    this.eventLoop = eventLoop;
    this.scope = scope;
    this.taskId = taskId;
    this.transportHeaders = Map.copyOf(transportHeaders);
    this.tenant = tenant;
    this.response = new ResponseMetadata(null);
    this.resources = new RequestResources();
  }

  private RequestContext(RequestContext parent) {
    this.eventLoop = parent.eventLoop;
    this.scope = parent::run;
    this.taskId = parent.taskId;
    this.transportHeaders = parent.transportHeaders;
    this.tenant = parent.tenant;
    this.response = new ResponseMetadata(parent.response);
    this.resources = parent.resources.newSubResources();
    this.deadline = parent.deadline;
    this.internal = parent.internal;
    this.originalMethod = parent.originalMethod;
    this.originalUri = parent.originalUri;
    this.clientAddress = parent.clientAddress;
    this.capacityTenant = parent.capacityTenant;
  }

  /** Creates the context of a part of the request; the part is cancelled and ended on its own. */
  public RequestContext newSubContext() {
    return new RequestContext(this);
  }

  // Identity.

  /** Runs the request's tasks, one at a time. Safe on any thread. */
  public Executor eventLoop() {
    return eventLoop;
  }

  /**
   * Runs a task of the request at once, within its scope. Call it on {@link #eventLoop()}, from
   * what returns to it: a node's response, a timer. Nested calls add nothing.
   */
  public void run(Runnable task) {
    scope.execute(task);
  }

  /** Queues a task of the request on {@link #eventLoop()}, within its scope. Safe on any thread. */
  public void runLater(Runnable task) {
    eventLoop.execute(() -> run(task));
  }

  /** The gateway's number for the request. Safe on any thread. */
  public long taskId() {
    return taskId;
  }

  /** The request's tenant, bounded in length; {@link #DEFAULT_TENANT} where no rule assigns one. */
  public String tenant() {
    return tenant;
  }

  /** The address of the client; null for a request of the gateway's own. */
  public @Nullable SocketAddress clientAddress() {
    return clientAddress;
  }

  /** Sets the address of the client. */
  public void setClientAddress(SocketAddress address) {
    clientAddress = address;
  }

  /**
   * Who shares the capacity of busy nodes with others.
   *
   * @param resolver finds the name on the first call, and not again
   */
  public String capacityTenant(Function<RequestContext, String> resolver) {
    String known = capacityTenant;
    if (known == null) {
      known = resolver.apply(this);
      capacityTenant = known;
    }
    return known;
  }

  /** Thread-context headers for the nodes. */
  public Map<String, String> transportHeaders() {
    return transportHeaders;
  }

  /** Marks a request of the gateway's own, which no client waits for. */
  public void markInternal() {
    internal = true;
  }

  /** Whether no client waits for the request: metrics of clients' requests leave it out. */
  public boolean isInternal() {
    return internal;
  }

  /**
   * Sets the request line as the client sent it.
   *
   * @param uri path and query
   */
  public void setOriginalRequest(String method, String uri) {
    originalMethod = method;
    originalUri = uri;
  }

  /** The client's request line, shortened to one line for display; empty when unknown. */
  public String requestSummary() {
    return originalMethod.isEmpty() ? "" : DisplayFormat.formatRequest(originalMethod, originalUri);
  }

  // What belongs to the request and has a type of its own.

  /** What the response carries beside its body. */
  public ResponseMetadata response() {
    return response;
  }

  /** What the client wants of the response to a search. */
  public SearchPreferences search() {
    return search;
  }

  /** The policy, the memory account and the trace of the request. */
  public RequestResources resources() {
    return resources;
  }

  // Deadline.

  /** When the client stops waiting; {@link Deadline#NONE} for never. */
  public Deadline deadline() {
    return deadline;
  }

  /** Brings the deadline forward, if the other one is earlier. */
  public void limitDeadline(Deadline other) {
    deadline = deadline.earlierOf(other);
  }

  /** Registers a callback that responds with partial results when the deadline has passed. */
  public void onExpiry(Runnable callback) {
    expiryCallbacks.add(callback);
  }

  /** The deadline has passed: cancels the request, then has it answered with partial results. */
  public void expire(String reason) {
    cancel(reason);
    List<Runnable> registered = List.copyOf(expiryCallbacks);
    expiryCallbacks.clear();
    registered.forEach(Runnable::run);
  }

  /**
   * No node of the request's cluster answers any more, and its traffic was sent elsewhere: ends the
   * request as {@link #expire} does.
   */
  public void release(String reason) {
    released = true;
    expire(reason);
  }

  /** Whether the request ends because its cluster was left, and not at its deadline. */
  public boolean isReleased() {
    return released;
  }

  /** Sets what responds when a part of the request finds the deadline passed before its timer. */
  public void setDeadlineExceededHandler(Runnable handler) {
    deadlineExceededHandler = handler;
  }

  /**
   * Reports that a part of the request left something out because the deadline has passed, so that
   * the response is not taken for complete. The handler runs in a task of its own, before all tasks
   * queued on {@link #eventLoop()} later. Safe on any thread.
   */
  public void reportDeadlineExceeded() {
    runLater(() -> deadlineExceededHandler.run());
  }

  // Cancellation.

  /** Registers a callback for the cancellation; runs at once after it. */
  public void onCancel(Runnable callback) {
    cancelCallbacks.add(callback);
  }

  /** Cancels the request, which stops its work on the data nodes; the first call counts. */
  public void cancel(String reason) {
    if (cancelReason == null && !isEnded()) {
      cancelReason = reason;
      cancelCallbacks.run();
      abandon();
    }
  }

  /** Why the request was cancelled; null when it was not. */
  public @Nullable String cancelReason() {
    return cancelReason;
  }

  /**
   * Registers a callback for the moment from which no client waits for the response: the request is
   * cancelled, or its client disconnects before the end of the response. Runs at most once; at once
   * if the moment has passed.
   */
  public void onAbandoned(Runnable callback) {
    abandonCallbacks.add(callback);
  }

  /** No client waits for the response any more; the first call counts. */
  public void abandon() {
    if (!isEnded()) {
      abandonCallbacks.run();
    }
  }

  // End.

  /** Registers a callback that releases something at the end; runs once, at once after the end. */
  public void onEnd(Runnable callback) {
    endCallbacks.add(callback);
  }

  /** Ends the request: the response was sent, or no client waits for it. The first call counts. */
  public void end() {
    if (!isEnded()) {
      cancelCallbacks.discard();
      expiryCallbacks.clear();
      abandonCallbacks.discard();
      endCallbacks.run();
    }
  }

  private boolean isEnded() {
    return endCallbacks.haveRun();
  }
}
