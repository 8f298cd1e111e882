package dev.weir.core.coordinate;

import dev.weir.model.Deadline;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.IgnoredReply;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.routing.ReplicaSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one search that are in flight. They use a context of the search's own that is never
 * cancelled: a cancelled search still reads every reply, so that it leaves no search context open.
 * Confined to the request's event loop.
 */
final class OutstandingCalls {
  /** How many calls of a search may usually be cancelled apart from the others. */
  private static final int USUAL_SEPARATE_TASKS = 4;

  private final NodeSender sender;

  /** Collects calls; null while each is sent at once. */
  private NodeSender.@Nullable CallBatch batch;

  /** Whether calls that are sent now wait on their nodes for others of the batch. */
  private boolean isQueuing;

  private final RequestContext request;
  private final RequestContext searchContext;
  private final CallServices services;
  private final List<Runnable> cancelListeners = new ArrayList<>(2);
  private final Map<String, Integer> byNode = new HashMap<>();
  private final IdentityHashMap<NodeTaskBan, String> separateTasks =
      new IdentityHashMap<>(USUAL_SEPARATE_TASKS);

  /** Bans that nodes must forget when the last call has ended. */
  private final Map<String, NodeTaskBan> bannedTasks = new HashMap<>();

  private final IdentityHashMap<NodeTaskBan, String> bannedSeparateTasks =
      new IdentityHashMap<>(USUAL_SEPARATE_TASKS);

  /** The other services that calls need. */
  private record CallServices(
      DelayScheduler scheduler,
      LongSupplier nanoClock,
      AttemptPolicy attemptPolicy,
      ReplicaSelector selector,
      TaskBanRemover banRemover,
      Consumer<Exception> shardFailures) {}

  /** For rounds that ask each node only once. */
  OutstandingCalls(NodeSender sender, RequestContext request) {
    this(
        new CallServices(
            DelayScheduler.jdkTimer(),
            System::nanoTime,
            AttemptPolicy.RETRY_ONLY,
            (copies, count, phase) -> {},
            new TaskBanRemover(DelayScheduler.jdkTimer()),
            failure -> {}),
        sender,
        request);
  }

  OutstandingCalls(CoordinationServices environment, RequestContext request) {
    this(
        new CallServices(
            environment.scheduler(),
            environment.nanoClock(),
            environment.attemptPolicies().forPolicy(request.resources().policy()),
            environment.selector().forPolicy(request.resources().policy()),
            environment.banRemover(),
            environment.views()::onShardFailure),
        environment.sender(),
        request);
  }

  /** Tells the source of views that a copy failed, which may have moved. */
  void onShardFailure(Exception failure) {
    services.shardFailures().accept(failure);
  }

  private OutstandingCalls(CallServices services, NodeSender sender, RequestContext request) {
    this.sender = sender;
    this.services = services;
    this.request = request;
    this.searchContext = request.newSubContext();
  }

  /** Hears the one outcome of a call. */
  interface CallListener<R> {
    void onReply(R reply, ReplyFrame frame);

    void onFailure(Exception failure);

    /** See {@link ReplyHandler#isResultUsed}. */
    default boolean isResultUsed() {
      return true;
    }
  }

  /**
   * Starts the trace span of a phase; calls from now on belong to it.
   *
   * @param isReduction whether the gateway computes in it rather than waits for nodes
   */
  void startPhase(String phase, boolean isReduction) {
    searchContext.resources().trace().startPhase(phase, isReduction);
  }

  /** Runs tasks of the request later, on its event loop. */
  Executor executor() {
    return searchContext::runLater;
  }

  /**
   * Runs an action later, within the request's context. Until it has run or is cancelled, the timer
   * keeps the request and its response in memory.
   *
   * @return cancels the action
   */
  Runnable scheduleCancellable(Duration delay, Runnable action) {
    return services
        .scheduler()
        .scheduleCancellable(delay, searchContext.eventLoop(), () -> searchContext.run(action));
  }

  /** Brings the deadline forward for the rest of the search. */
  void limitDeadline(Duration time, String setBy) {
    searchContext.limitDeadline(Deadline.after(nanoTime(), time, setBy));
  }

  /** When the client stops waiting. */
  Deadline deadline() {
    return searchContext.deadline();
  }

  /** Whether the deadline has passed. */
  boolean isExpired() {
    return searchContext.deadline().isSet() && searchContext.deadline().hasPassed(nanoTime());
  }

  /**
   * Records that a part is left out because time is over. If the request's own deadline has passed,
   * the request is not answered without that part.
   *
   * @return whether it has passed
   */
  boolean markOverdue() {
    boolean passed = request.deadline().hasPassed(nanoTime());
    if (passed) {
      request.reportDeadlineExceeded();
    }
    return passed;
  }

  long nanoTime() {
    return services.nanoClock().getAsLong();
  }

  AttemptPolicy tail() {
    return services.attemptPolicy();
  }

  /** See {@link AdmissionGate#canAdmitImmediately}. */
  boolean canAdmitImmediately(AdmissionGate gate, NodeCallType work, String nodeId, int calls) {
    return gate.canAdmitImmediately(work, nodeId, calls, searchContext);
  }

  /** See {@link AdmissionGate#hasCapacity}. */
  boolean hasCapacity(AdmissionGate gate, NodeCallType work, String nodeId) {
    return gate.hasCapacity(work, nodeId, searchContext);
  }

  /** Asks for admission; see {@link AdmissionGate#requestAdmission}. */
  AdmissionGate.AdmissionHandle requestAdmission(
      AdmissionGate gate,
      AdmissionGate.AdmissionRequest admission,
      Consumer<AdmissionGate.AdmissionHandle> listener) {
    return gate.requestAdmission(admission, searchContext, listener);
  }

  /** The copies for which a search may wait; see {@link ReplicaSelector#waitableCopies}. */
  List<ShardCopy> waitableCopies(List<ShardCopy> copies, NodeCallType work) {
    return services.selector().waitableCopies(copies, work.phase());
  }

  /** The node to ask now of those that hold equally good copies. */
  String selectNode(List<ShardCopy> copies, NodeCallType work, boolean isFreshlyRanked) {
    return services
        .selector()
        .selectForSend(copies, work.phase(), work.costClass(), isFreshlyRanked)
        .nodeId();
  }

  /**
   * The node that comes first of those that hold equally good copies; when the search has run for a
   * while, the first one that can answer.
   */
  String firstNode(List<ShardCopy> copies, NodeCallType work, boolean isFreshlyRanked) {
    if (!isFreshlyRanked) {
      for (ShardCopy copy : copies) {
        if (services.selector().canAnswer(copy, work.phase())) {
          return copy.nodeId();
        }
      }
    }
    return copies.getFirst().nodeId();
  }

  /** Runs an action when all tasks are cancelled; nothing may wait to be sent after that. */
  void onCancel(Runnable action) {
    cancelListeners.add(action);
  }

  /** The response headers that nodes have sent so far, by name. */
  Map<String, ? extends Iterable<String>> responseHeaders() {
    return searchContext.response().headers();
  }

  /** Nodes with calls in flight that run under the search's own task. */
  List<String> pendingNodeIds() {
    return new ArrayList<>(byNode.keySet());
  }

  <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      NodeSender.@Nullable LoadFeedback<R> loadFeedback,
      CallListener<R> outcome) {
    byNode.merge(nodeId, 1, Integer::sum);
    return currentSender()
        .send(
            nodeId,
            work,
            call,
            searchContext,
            loadFeedback,
            handler(() -> onAnswered(nodeId), outcome));
  }

  /**
   * Sends a call whose task can be cancelled apart from the others.
   *
   * @param task the call's task on the node
   */
  <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      NodeTaskBan task,
      NodeSender.@Nullable LoadFeedback<R> loadFeedback,
      CallListener<R> outcome) {
    separateTasks.put(task, nodeId);
    return currentSender()
        .send(
            nodeId,
            work,
            call,
            searchContext,
            loadFeedback,
            handler(() -> onAnswered(task), outcome));
  }

  /** Sends a call under the search's own task that says nothing about the node's load. */
  <R> PendingCall sendUntracked(String nodeId, NodeCall<R> call, CallListener<R> outcome) {
    byNode.merge(nodeId, 1, Integer::sum);
    return currentSender()
        .sendUntracked(nodeId, call, searchContext, handler(() -> onAnswered(nodeId), outcome));
  }

  private static <R> ReplyHandler<R> handler(Runnable onOutcome, CallListener<R> outcome) {
    return new ReplyHandler<>() {
      @Override
      public void onReply(R reply, ReplyFrame frame) {
        onOutcome.run();
        outcome.onReply(reply, frame);
      }

      @Override
      public void onFailure(NodeCallException failure) {
        onOutcome.run();
        outcome.onFailure(failure);
      }

      @Override
      public boolean isResultUsed() {
        return outcome.isResultUsed();
      }
    };
  }

  /** Runs an action, and lets the calls that it sends to one node travel together. */
  void sendTogether(Runnable sends) {
    sendTogether(0, sends);
  }

  /**
   * Runs an action, and lets the calls that it sends to one node travel together.
   *
   * @param maxRunning how many of the queries a node carries out at a time; 0 for all
   */
  void sendTogether(int maxRunning, Runnable sends) {
    NodeSender.CallBatch opened = openBatch(maxRunning);
    try {
      sends.run();
    } finally {
      if (opened != null) {
        flush(opened);
      }
    }
  }

  /**
   * Lets the calls to one node travel together that are sent from now until the event loop turns to
   * its next task.
   */
  void sendTogetherSoon() {
    NodeSender.CallBatch opened = openBatch(0);
    if (opened != null) {
      executor().execute(() -> flush(opened));
    }
  }

  /** Opens a batch; null if calls are collected already. */
  private NodeSender.@Nullable CallBatch openBatch(int maxRunning) {
    if (batch != null) {
      return null;
    }
    batch = sender.startBatch(maxRunning);
    return batch;
  }

  /**
   * Whether a call to this node that is sent now may wait there until others of its batch are done.
   */
  boolean canQueueOnNode(String nodeId) {
    return batch != null && batch.queuingNodes().test(nodeId);
  }

  /** Runs an action whose calls wait on their nodes, as {@link NodeSender.QueuedCall}s. */
  void sendQueued(Runnable sends) {
    isQueuing = true;
    try {
      sends.run();
    } finally {
      isQueuing = false;
    }
  }

  private void flush(NodeSender.CallBatch opened) {
    batch = null;
    opened.flush().run();
  }

  private NodeSender currentSender() {
    NodeSender.CallBatch opened = batch;
    if (opened == null) {
      return sender;
    }
    return isQueuing ? opened.queuing() : opened.sender();
  }

  /** Cancels the tasks of all calls in flight. */
  void cancelTasks(CancellableWork work, String reason) {
    List.copyOf(cancelListeners).forEach(Runnable::run);
    for (String nodeId : pendingNodeIds()) {
      NodeTaskBan tasks = bannedTasks.computeIfAbsent(nodeId, work::taskBan);
      sendBan(nodeId, tasks.createBanCall(reason));
    }
    for (NodeTaskBan one : List.copyOf(separateTasks.keySet())) {
      cancelTask(one, reason);
    }
  }

  /** Cancels a separate task if its call is in flight. */
  void cancelTask(NodeTaskBan one, String reason) {
    String nodeId = separateTasks.get(one);
    if (nodeId != null) {
      bannedSeparateTasks.put(one, nodeId);
      sendBan(nodeId, one.createBanCall(reason));
    }
  }

  private <R> void sendBan(String nodeId, NodeCall<R> call) {
    currentSender().sendUntracked(nodeId, call, searchContext, IgnoredReply.prompt());
  }

  /** Frees what the search has left on a node; nobody waits for it. */
  <R> void sendFree(String nodeId, NodeCall<R> call) {
    currentSender().sendUntracked(nodeId, call, searchContext, IgnoredReply.deferrable());
  }

  /** Counts a call under the search's own task no more, whose outcome nobody will hear. */
  void forget(String nodeId) {
    onAnswered(nodeId);
  }

  private void onAnswered(String nodeId) {
    if (byNode.computeIfPresent(nodeId, (id, calls) -> calls == 1 ? null : calls - 1) == null) {
      liftBan(nodeId, bannedTasks.remove(nodeId));
    }
  }

  private void onAnswered(NodeTaskBan one) {
    separateTasks.remove(one);
    String nodeId = bannedSeparateTasks.remove(one);
    if (nodeId != null) {
      liftBan(nodeId, one);
    }
  }

  /** Removes a ban once no more tasks can come. */
  private void liftBan(String nodeId, @Nullable NodeTaskBan tasks) {
    if (tasks != null) {
      services.banRemover().remove(sender, nodeId, tasks, searchContext);
    }
  }
}
