package dev.weir.core.coordinate;

import dev.weir.core.reduce.CancellableWork;
import dev.weir.core.reduce.NodeTasks;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls that one search has on nodes. They go under a context of the search's own, which is
 * never cancelled: a search that is cancelled still hears every answer, so that no search context
 * stays open behind it. Confined to the request's home.
 */
final class OutstandingCalls {
  private static final ReplyHandler<Object> DEAF =
      new ReplyHandler<>() {
        @Override
        public void onReply(Object reply, ReplyFrame frame) {}

        @Override
        public void onFailure(NodeFailure failure) {}
      };

  private final NodeSender sender;
  private final RequestContext request;
  private final RequestContext own;
  private final Around around;
  private final List<Runnable> whenCancelled = new ArrayList<>(2);
  private final Map<String, Integer> byNode = new HashMap<>();
  private final IdentityHashMap<NodeTasks, String> alone = new IdentityHashMap<>();

  /** What nodes were told to refuse, and must be told to forget when the last call is over. */
  private final Map<String, NodeTasks> banned = new HashMap<>();

  private final IdentityHashMap<NodeTasks, String> bannedAlone = new IdentityHashMap<>();

  /** What else there is. */
  private record Around(
      Delays delays, LongSupplier nanoClock, Tail tail, Binder binder, TaskBans bans) {}

  /** Calls of rounds that ask each node just once. */
  OutstandingCalls(NodeSender sender, RequestContext request) {
    this(
        new Around(
            Delays.real(), System::nanoTime, Tail.PLAIN, Binder.FIRST, new TaskBans(Delays.real())),
        sender,
        request);
  }

  OutstandingCalls(Environment environment, RequestContext request) {
    this(
        new Around(
            environment.delays(),
            environment.nanoClock(),
            environment.tails().by(request.policy()),
            environment.binder(),
            environment.bans()),
        environment.sender(),
        request);
  }

  private OutstandingCalls(Around around, NodeSender sender, RequestContext request) {
    this.sender = sender;
    this.around = around;
    this.request = request;
    this.own = request.part();
  }

  /** Hears the one outcome of a call. */
  interface Outcome<R> {
    void replied(R reply, ReplyFrame frame);

    void failed(Exception failure);
  }

  /** What is called from now on belongs to this state of the search. */
  void enter(SearchState state) {
    own.trace().phase(state.phase(), state instanceof SearchState.Reducing);
  }

  /** Runs tasks of the request later, on its home. */
  Executor later() {
    return own::later;
  }

  /** Runs an action later, with what belongs to the request around it. */
  void after(Duration delay, Runnable action) {
    around.delays().after(delay, own.home(), () -> own.run(action));
  }

  /** Nobody waits for longer than this from now on. */
  void limit(Duration time, String setBy) {
    own.limit(Deadline.after(nanoTime(), time, setBy));
  }

  /** Until when somebody waits for what is called. */
  Deadline deadline() {
    return own.deadline();
  }

  /** Whether that has passed. */
  boolean expired() {
    return own.deadline().exists() && own.deadline().passed(nanoTime());
  }

  /**
   * Something is left out because time is over: where it is the request's own deadline that has
   * passed, the request is not answered without it.
   *
   * @return whether it is
   */
  boolean overdue() {
    boolean passed = request.deadline().passed(nanoTime());
    if (passed) {
      request.overdue();
    }
    return passed;
  }

  long nanoTime() {
    return around.nanoClock().getAsLong();
  }

  Tail tail() {
    return around.tail();
  }

  /** Asks for the request to be let in; see {@link AdmissionGate#ask}. */
  AdmissionGate.Entry ask(
      AdmissionGate gate, AdmissionGate.Asked asked, Consumer<AdmissionGate.Entry> told) {
    return gate.ask(asked, own, told);
  }

  /** Says which of several copies gets a request, and when; see {@link Binder#bind}. */
  Binder.Binding bind(Binder.Offer offer, Consumer<Binder.Binding> bound) {
    return around.binder().bind(offer, own, bound);
  }

  /** Says which of several copies gets a request that may not go to all; see {@link Binder#now}. */
  @Nullable String bindNow(Binder.Offer offer, Predicate<String> may) {
    return around.binder().now(offer, own.policy(), may);
  }

  /** Runs an action when all tasks are cancelled: nothing must wait to be sent after that. */
  void whenCancelled(Runnable action) {
    whenCancelled.add(action);
  }

  /** The response headers that nodes sent so far, by name. */
  Map<String, ? extends Iterable<String>> responseHeaders() {
    return own.responseHeaders();
  }

  /** The nodes that have not answered all of the calls that go under the search's own task. */
  List<String> nodes() {
    return new ArrayList<>(byNode.keySet());
  }

  <R> PendingCall send(
      String nodeId,
      Work work,
      NodeCall<R> call,
      NodeSender.@Nullable Piggyback<R> piggyback,
      Outcome<R> outcome) {
    byNode.merge(nodeId, 1, Integer::sum);
    return send(nodeId, work, call, piggyback, () -> answered(nodeId), outcome);
  }

  /**
   * Sends a call whose task on the node can be cancelled apart from the others.
   *
   * @param task its task there
   */
  <R> PendingCall send(
      String nodeId,
      Work work,
      NodeCall<R> call,
      NodeTasks task,
      NodeSender.@Nullable Piggyback<R> piggyback,
      Outcome<R> outcome) {
    alone.put(task, nodeId);
    return send(nodeId, work, call, piggyback, () -> answered(task), outcome);
  }

  /**
   * Sends a call.
   *
   * @param over runs before its outcome is told
   */
  private <R> PendingCall send(
      String nodeId,
      Work work,
      NodeCall<R> call,
      NodeSender.@Nullable Piggyback<R> piggyback,
      Runnable over,
      Outcome<R> outcome) {
    return sender.send(
        nodeId,
        work,
        call,
        own,
        piggyback,
        new ReplyHandler<>() {
          @Override
          public void onReply(R reply, ReplyFrame frame) {
            over.run();
            outcome.replied(reply, frame);
          }

          @Override
          public void onFailure(NodeFailure failure) {
            over.run();
            outcome.failed(failure);
          }
        });
  }

  /** Cancels the tasks of all calls that are under way; whether there were any. */
  boolean cancelTasks(CancellableWork work, String reason) {
    List.copyOf(whenCancelled).forEach(Runnable::run);
    for (String nodeId : nodes()) {
      NodeTasks tasks = banned.computeIfAbsent(nodeId, work::tasks);
      sendAside(nodeId, tasks.ban(reason));
    }
    for (NodeTasks one : List.copyOf(alone.keySet())) {
      cancelTask(one, reason);
    }
    return !byNode.isEmpty() || !alone.isEmpty();
  }

  /** Cancels the task of a call that can be cancelled apart, if it is under way. */
  void cancelTask(NodeTasks one, String reason) {
    String nodeId = alone.get(one);
    if (nodeId != null) {
      bannedAlone.put(one, nodeId);
      sendAside(nodeId, one.ban(reason));
    }
  }

  /** Sends what nobody waits for. */
  <R> void sendAside(String nodeId, NodeCall<R> call) {
    sender.sendAside(nodeId, call, own, deaf());
  }

  @SuppressWarnings("unchecked") // it never looks at what it hears
  private static <R> ReplyHandler<R> deaf() {
    return (ReplyHandler<R>) DEAF;
  }

  private void answered(String nodeId) {
    if (byNode.computeIfPresent(nodeId, (id, calls) -> calls == 1 ? null : calls - 1) == null) {
      lift(nodeId, banned.remove(nodeId));
    }
  }

  private void answered(NodeTasks one) {
    alone.remove(one);
    String nodeId = bannedAlone.remove(one);
    if (nodeId != null) {
      lift(nodeId, one);
    }
  }

  /** What was banned can't come any more. */
  private void lift(String nodeId, @Nullable NodeTasks tasks) {
    if (tasks != null) {
      around.bans().lift(sender, nodeId, tasks, own);
    }
  }
}
