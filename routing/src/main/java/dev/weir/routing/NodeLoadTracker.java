package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Learns the load of each node, apart for each phase. Lock-free; holds one small state for each
 * node and phase until the node is dropped by {@link #retainOnly}.
 */
public final class NodeLoadTracker implements NodeLoads {
  private static final double MICROSECOND = 1e3;
  private static final double UNKNOWN_NANOS = 1e6;

  private final ConcurrentHashMap<String, Map<Phase, NodeState>> nodes = new ConcurrentHashMap<>();
  private final RoutingPolicy policy;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;

  /**
   * Makes a tracker that knows no node.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   * @param random safe on any thread
   */
  public NodeLoadTracker(RoutingPolicy policy, LongSupplier nanoTime, RandomGenerator random) {
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.random = random;
  }

  @Override
  public Outstanding begin(String nodeId, Phase phase) {
    NodeState state = state(nodeId, phase);
    state.sent();
    return new Exchange(state, nanoTime.getAsLong());
  }

  /** Forgets every node that is not named. */
  public void retainOnly(Set<String> nodeIds) {
    nodes.keySet().retainAll(nodeIds);
  }

  /** Forgets a node, because it was restarted; what is outstanding on it still settles. */
  public void forget(String nodeId) {
    nodes.remove(nodeId);
  }

  /** Requests outstanding on all known nodes; zero at rest. */
  public int outstanding() {
    return nodes.values().stream()
        .flatMap(phases -> phases.values().stream())
        .mapToInt(NodeState::outstanding)
        .sum();
  }

  /** The loads of all known nodes, by node and phase, to be shown. */
  public List<LoadView> views() {
    long now = nanoTime.getAsLong();
    return nodes.values().stream()
        .flatMap(phases -> phases.values().stream())
        .filter(state -> state.timings().samples() > 0 || state.outstanding() > 0 || faulty(state))
        .map(state -> new LoadView(state.nodeId, state.phase, load(state, null), trust(state, now)))
        .sorted(Comparator.comparing(LoadView::nodeId).thenComparing(LoadView::phase))
        .toList();
  }

  NodeState state(String nodeId, Phase phase) {
    Map<Phase, NodeState> phases = nodes.get(nodeId);
    if (phases == null) {
      phases = nodes.computeIfAbsent(nodeId, NodeLoadTracker::allPhases);
    }
    NodeState state = phases.get(phase);
    if (state == null) {
      throw new IllegalStateException("got no state for " + phase + " (expected: one a phase)");
    }
    return state;
  }

  /** What is believed of a node now; one never heard of is believed to be like {@code model}. */
  NodeLoad load(NodeState state, @Nullable NodeLoad model) {
    long now = nanoTime.getAsLong();
    Timings timings = state.timings();
    double errors = state.faults().fadedRate(now, policy.health());
    int outstanding = Math.max(0, state.outstanding());
    double queue = timings.fadedQueue(now, policy.c3());
    if (timings.samples() == 0) {
      double response = model == null ? UNKNOWN_NANOS : model.responseNanos();
      double service = model == null ? UNKNOWN_NANOS : model.serviceNanos();
      return new NodeLoad(outstanding, response, service, queue, errors);
    }
    double response = Math.max(MICROSECOND, timings.responseNanos());
    double service = timings.serviceNanos() > 0 ? timings.serviceNanos() : response;
    NodeLoad load = new NodeLoad(outstanding, response, service, queue, errors);
    return model == null ? load : load.drifted(model, timings.staleness(now, policy.c3()));
  }

  private LoadView.Trust trust(NodeState state, long now) {
    Timings timings = state.timings();
    Faults faults = state.faults();
    return new LoadView.Trust(
        timings.samples(),
        timings.samples() == 0 ? -1 : now - timings.repliedAtNanos(),
        faults.ejected() ? Math.max(0, faults.ejectedUntilNanos() - now) : 0);
  }

  private static boolean faulty(NodeState state) {
    return !state.faults().equals(Faults.NONE);
  }

  private static Map<Phase, NodeState> allPhases(String nodeId) {
    Map<Phase, NodeState> phases = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      phases.put(phase, new NodeState(nodeId, phase));
    }
    return phases;
  }

  /** One request on its way; its state as a boolean: whether an outcome was heard. */
  private final class Exchange extends AtomicBoolean implements Outstanding {
    private static final long serialVersionUID = 1L;

    private final transient NodeState state;
    private final long sentAtNanos;

    Exchange(NodeState state, long sentAtNanos) {
      this.state = state;
      this.sentAtNanos = sentAtNanos;
    }

    @Override
    public void replied(int queueSize, long serviceTimeNanos) {
      if (settle()) {
        long now = nanoTime.getAsLong();
        state.replied(now - sentAtNanos, queueSize, serviceTimeNanos, now, policy);
      }
    }

    @Override
    public void failed(Failure failure) {
      if (!settle()) {
        return;
      }
      long now = nanoTime.getAsLong();
      switch (failure) {
        case REJECTED -> state.rejected(now, policy.c3());
        case ERROR -> state.failed(true, now, random.nextDouble(), policy.health());
        case TIMEOUT -> state.failed(false, now, random.nextDouble(), policy.health());
        case UNREACHABLE -> {
          for (Phase phase : Phase.values()) {
            state(state.nodeId, phase).failed(false, now, random.nextDouble(), policy.health());
          }
        }
      }
    }

    @Override
    public void abandoned() {
      settle();
    }

    private boolean settle() {
      if (!compareAndSet(false, true)) {
        return false;
      }
      state.settled();
      return true;
    }
  }
}
