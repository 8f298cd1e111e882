package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A tracker and a selector with a clock that tests set. */
final class SelectorFixture {
  final NodeLoadTracker tracker;
  final PolicyAwareSelector selector;
  private final PolicyCompiler<RoutingPolicy> policies;
  private RequestPolicy requests;
  private long now = TimeUnit.HOURS.toNanos(1);

  SelectorFixture(RoutingPolicy policy) {
    Random random = new Random(7);
    tracker = new NodeLoadTracker(policy, () -> now, random);
    policies = new PolicyCompiler<>(policy);
    selector = new PolicyAwareSelector(tracker, policies, () -> now, random);
    requests = RequestPolicy.NONE;
  }

  /** Changes the policy. */
  void use(RoutingPolicy policy) {
    requests = policies.compile("", policy, requests);
    selector.setDefaultPolicy(requests);
  }

  /** Returns the policy of new requests. */
  RequestPolicy requests() {
    return requests;
  }

  static ShardCopy copy(String node) {
    return new ShardCopy(node, "alloc-" + node, false, false, Map.of());
  }

  static List<ShardCopy> copies(String... nodes) {
    return Arrays.stream(nodes).map(SelectorFixture::copy).toList();
  }

  long now() {
    return now;
  }

  void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  NodeLoadRecorder.OutstandingRequest send(String node) {
    return tracker.startRequest(node, Phase.QUERY);
  }

  /** Runs one exchange of this duration with the node's load report. */
  void answer(String node, double millis, int queue, double serviceMillis) {
    NodeLoadRecorder.OutstandingRequest sent = send(node);
    now += (long) (millis * 1e6);
    sent.onResponse(queue, (long) (serviceMillis * 1e6));
  }

  /** Runs enough exchanges for the node to count as known. */
  void warm(String node, double millis) {
    for (int i = 0; i < 40; i++) {
      answer(node, millis, 0, millis + i * 1e-6);
    }
  }

  String first(String... nodes) {
    return selector.order(copies(nodes), Phase.QUERY).getFirst().nodeId();
  }

  List<String> order(String... nodes) {
    return selector.order(copies(nodes), Phase.QUERY).stream().map(ShardCopy::nodeId).toList();
  }
}
