package dev.weir.gateway.coordinate;

import dev.weir.gateway.reduce.CancellableWork;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
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
  private final RequestContext own;
  private final Around around;
  private final List<Runnable> whenCancelled = new ArrayList<>(2);
  private final Map<String, Integer> byNode = new HashMap<>();
  private final Set<Alone> alone = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What else there is. */
  private record Around(Delays delays, LongSupplier nanoClock, Tail tail, Binder binder) {}

  /** A call whose task on the node can be cancelled apart from the others. */
  private record Alone(String nodeId, Function<String, NodeCall<?>> cancelling) {}

  /** Calls of rounds that ask each node just once. */
  OutstandingCalls(NodeSender sender, RequestContext request) {
    this(new Around(Delays.real(), System::nanoTime, Tail.PLAIN, Binder.FIRST), sender, request);
  }

  OutstandingCalls(Environment environment, RequestContext request) {
    this(
        new Around(
            environment.delays(),
            environment.nanoClock(),
            environment.tail(),
            environment.binder()),
        environment.sender(),
        request);
  }

  private OutstandingCalls(Around around, NodeSender sender, RequestContext request) {
    this.sender = sender;
    this.around = around;
    this.own =
        new RequestContext(
            request.home(),
            request::run,
            request.taskId(),
            request.transportHeaders(),
            request.tenant());
  }

  /** Hears the one outcome of a call. */
  interface Outcome<R> {
    void replied(R reply, ReplyFrame frame);

    void failed(Exception failure);
  }

  /** Runs tasks of the request later, on its home. */
  Executor later() {
    return own::later;
  }

  /** Runs an action later, with what belongs to the request around it. */
  void after(Duration delay, Runnable action) {
    around.delays().after(delay, own.home(), () -> own.run(action));
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
    return around.binder().now(offer, may);
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
   * @param cancelling the call that does it, by the reason
   */
  <R> PendingCall send(
      String nodeId,
      Work work,
      NodeCall<R> call,
      Function<String, NodeCall<?>> cancelling,
      NodeSender.@Nullable Piggyback<R> piggyback,
      Outcome<R> outcome) {
    Alone one = new Alone(nodeId, cancelling);
    alone.add(one);
    return send(nodeId, work, call, piggyback, () -> alone.remove(one), outcome);
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
      sendAside(nodeId, work.cancelTasks(reason));
    }
    for (Alone one : List.copyOf(alone)) {
      sendAside(one.nodeId(), one.cancelling().apply(reason));
    }
    return !byNode.isEmpty() || !alone.isEmpty();
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
    byNode.computeIfPresent(nodeId, (id, calls) -> calls == 1 ? null : calls - 1);
  }
}
