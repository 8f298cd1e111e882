package dev.weir.gateway.coordinate;

import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
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
  private final Map<String, Integer> byNode = new HashMap<>();

  OutstandingCalls(NodeSender sender, RequestContext request) {
    this.sender = sender;
    this.own =
        new RequestContext(
            request.home(), request::run, request.taskId(), request.transportHeaders());
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

  /** The response headers that nodes sent so far, by name. */
  Map<String, ? extends Iterable<String>> responseHeaders() {
    return own.responseHeaders();
  }

  /** The nodes that have not answered all of their calls yet. */
  List<String> nodes() {
    return new ArrayList<>(byNode.keySet());
  }

  <R> void send(
      String nodeId,
      Phase phase,
      NodeCall<R> call,
      NodeSender.@Nullable Piggyback<R> piggyback,
      Outcome<R> outcome) {
    byNode.merge(nodeId, 1, Integer::sum);
    sender.send(
        nodeId,
        phase,
        call,
        own,
        piggyback,
        new ReplyHandler<>() {
          @Override
          public void onReply(R reply, ReplyFrame frame) {
            answered(nodeId);
            outcome.replied(reply, frame);
          }

          @Override
          public void onFailure(NodeFailure failure) {
            answered(nodeId);
            outcome.failed(failure);
          }
        });
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
