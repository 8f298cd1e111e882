package dev.weir.admission.queue;

import dev.weir.admission.queue.QueuePosition.State;
import dev.weir.config.policy.QueuePolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A queue of searches with a clock, nodes that the test fills and empties, and what was decided.
 */
abstract class AdmissionQueueFixture {
  static final long MILLI = 1_000_000;
  static final int CHEAP = 0;
  static final int HEAVY = 1;

  final List<QueuePosition<String>> decided = new ArrayList<>();
  final Map<String, Double> weights = new HashMap<>(Map.of("gold", 3.0));
  long now = 1_000_000 * MILLI;
  AdmissionQueues<String> queues = queues(QueuePolicies.fixed(2));

  AdmissionQueues<String> queues(QueuePolicy policy) {
    return new AdmissionQueues<>(
        policy, () -> now, tenant -> weights.getOrDefault(tenant, 1.0), decided::add);
  }

  AdmissionQueue<String> searches() {
    return queues.queueFor(NodeThreadPool.SEARCH);
  }

  NodeConcurrencyLimiter lane(String node) {
    return queues.limiters().limiter(node, NodeThreadPool.SEARCH);
  }

  void fill(String... nodes) {
    for (String node : nodes) {
      while (lane(node).hasCapacity()) {
        lane(node).onCallStart();
      }
    }
  }

  void answer(String node) {
    lane(node).onResponse(CHEAP, 2, now - MILLI, true);
  }

  QueuePosition<String> offer(String request, String tenant, int costClass, String... calls) {
    return offer(request, tenant, costClass, Long.MAX_VALUE, calls);
  }

  QueuePosition<String> offer(
      String request, String tenant, int costClass, long deadline, String... calls) {
    List<List<String>> nodes = new ArrayList<>();
    for (String call : calls) {
      nodes.add(List.of(call.split(",")));
    }
    return searches()
        .offer(request, new QueuedRequest(NodeDemand.of(nodes), tenant, costClass, deadline));
  }

  /** An admitted request sends its calls. */
  void send() {
    for (QueuePosition<String> place : List.copyOf(decided)) {
      if (place.state() == State.ADMITTED) {
        lane("n1").onCallStart();
        searches().release(place);
      }
    }
  }

  List<String> decided() {
    return decided.stream().map(QueuePosition::request).toList();
  }

  void learnCosts() {
    for (int i = 0; i < 50; i++) {
      for (int cost : new int[] {CHEAP, HEAVY}) {
        NodeConcurrencyLimiter lane = lane("idle");
        lane.onCallStart();
        lane.onResponse(cost, 0, now - (cost == CHEAP ? 2 : 80) * MILLI, true);
      }
    }
  }

  static QueueRejection refusal(QueuePosition<String> place) {
    return Objects.requireNonNull(place.rejection());
  }
}
