package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.routing.estimate.C3Averages;
import dev.weir.routing.estimate.FailureHistory;
import dev.weir.routing.estimate.FleetStatistics;
import dev.weir.routing.weight.NodeWeights;
import dev.weir.routing.write.WriteCostEstimator;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Tracks the load of each node, separately for each phase. Safe on any thread; holds one small
 * state for each node and phase until {@link #retainOnly} removes the node.
 */
public final class NodeLoadTracker implements NodeLoadRecorder, WriteCostEstimator {
  /** The interval of {@link #recordHeartbeat}. */
  public static final Duration HEARTBEAT_INTERVAL = LocalPauseDetector.HEARTBEAT_INTERVAL;

  private static final double MICROSECOND = 1e3;
  private static final double UNKNOWN_NANOS = 1e6;

  /**
   * A drained node takes writes a thousand times as long: if each shard has a copy on it, one is
   * chosen all the same.
   */
  private static final double MIN_WEIGHT = 1e-3;

  private static final Phase[] PHASES = Phase.values();

  private final ConcurrentHashMap<String, NodePhaseStates> nodes = new ConcurrentHashMap<>();
  private final FleetStatistics[] fleets =
      Stream.generate(FleetStatistics::new).limit(PHASES.length).toArray(FleetStatistics[]::new);
  private final LocalPauseDetector pauses = new LocalPauseDetector();
  private final OutcomeRecorder outcomes = new OutcomeRecorder();
  private final NodeWeights weights;
  private volatile RoutingPolicy policy;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;

  /**
   * Starts without nodes.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   * @param random safe on any thread
   */
  public NodeLoadTracker(RoutingPolicy policy, LongSupplier nanoTime, RandomGenerator random) {
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.random = random;
    this.weights = new NodeWeights(System::currentTimeMillis, random);
  }

  /** Returns the weights that an operator has given to nodes. */
  public NodeWeights weights() {
    return weights;
  }

  /** Changes the policy; learned state stays. */
  void setPolicy(RoutingPolicy other) {
    policy = other;
  }

  @Override
  public OutstandingRequest startRequest(String nodeId, Phase phase, int costClass) {
    NodePhaseState state = state(nodeId, phase);
    long now = nanoTime.getAsLong();
    if (state.failures().isAwaitingProbe(now)) {
      state.takeProbe(now, random.nextDouble(), policy.health()); // this request is the probe
    }
    return state.startRequest(outcomes, costClass, now, staleAfterNanos());
  }

  /** Removes every other node. */
  public void retainOnly(Set<String> nodeIds) {
    nodes.keySet().retainAll(nodeIds);
  }

  /** Removes a node after its restart; its outstanding requests still complete. */
  public void forget(String nodeId) {
    nodes.remove(nodeId);
  }

  /** Sets the number of threads in a node's pool for a phase; at least 1. */
  public void setThreadCount(String nodeId, Phase phase, int threads) {
    states(nodeId).threads(phase, threads);
  }

  /**
   * Records a heartbeat of this process; call it every {@link #HEARTBEAT_INTERVAL}. With
   * heartbeats, silence and timeouts during a pause of this process do not count against nodes.
   */
  public void recordHeartbeat() {
    pauses.onHeartbeat(nanoTime.getAsLong());
  }

  /** Returns the outstanding requests on all known nodes; zero when idle. */
  public int outstanding() {
    return all().mapToInt(NodePhaseState::outstanding).sum();
  }

  /** Returns the loads of all known nodes, by node and phase, for display. */
  public List<NodeLoadSnapshot> snapshots() {
    long now = nanoTime.getAsLong();
    return all()
        .filter(state ->
            state.loadEstimate().samples() > 0 || state.outstanding() > 0 || hasFailures(state))
        .map(state ->
            new NodeLoadSnapshot(state.nodeId, state.phase, load(state, now), health(state, now)))
        .sorted(
            Comparator.comparing(NodeLoadSnapshot::nodeId).thenComparing(NodeLoadSnapshot::phase))
        .toList();
  }

  /**
   * The learned cost of a class of requests.
   *
   * @param cost relative to the mean of its phase; 1 while unknown
   * @param answers the number of responses behind it
   */
  public record ClassCost(double cost, long answers) {}

  /** Returns the cost of a class of requests. */
  public ClassCost cost(Phase phase, int costClass) {
    FleetStatistics fleet = fleet(phase);
    return new ClassCost(fleet.cost(costClass), fleet.sampleCount(costClass));
  }

  /**
   * Returns b, the time that a node's responses to a class of requests take beyond the prediction.
   */
  public double residualNanos(String nodeId, Phase phase, int costClass) {
    NodePhaseStates states = nodes.get(nodeId);
    return states == null ? 0 : states.of(phase).residualNanos(costClass);
  }

  @Override
  public double expectedNanos(String nodeId, NodeCallType work) {
    long now = nanoTime.getAsLong();
    NodePhaseState state = state(nodeId, work.phase());
    if (state.failures().ejected()) {
      return Double.POSITIVE_INFINITY;
    }
    double expected =
        state.expectedNanos(work.costClass(), now)
            + state.silenceNanos(now, lastPauseEndNanos(now));
    return weights.areFull() ? expected : expected / Math.max(MIN_WEIGHT, weights.of(nodeId));
  }

  @Override
  public boolean takeTrial(String nodeId, Phase phase) {
    long now = nanoTime.getAsLong();
    if (weights.isDrained(nodeId)) {
      return false;
    }
    NodePhaseState state = state(nodeId, phase);
    return state.failures().ejected()
        ? state.takeProbe(now, random.nextDouble(), policy.health())
        : state.isStale(now, staleAfterNanos());
  }

  /**
   * Returns whether a node may get a request that another node could answer too: it is not ejected.
   *
   * @param mayTest whether the request may be the probe, if the node awaits one
   */
  public boolean canAnswer(String nodeId, Phase phase, boolean mayTest) {
    FailureHistory failures = state(nodeId, phase).failures();
    return !failures.ejected() || (mayTest && failures.isAwaitingProbe(nanoTime.getAsLong()));
  }

  NodePhaseState state(String nodeId, Phase phase) {
    return states(nodeId).of(phase);
  }

  /** Returns the statistics over all nodes in a phase. */
  FleetStatistics fleet(Phase phase) {
    return fleets[phase.ordinal()];
  }

  /** Returns the moment before which silence may come from a pause of this process. */
  long lastPauseEndNanos(long now) {
    return pauses.lastPauseEndNanos(now);
  }

  /**
   * Returns true if this process paused during a request: its response time is then meaningless.
   */
  boolean spansLocalPause(TrackedRequest request, long now) {
    return pauses.hasPauseWithin(request.sentAtNanos, now);
  }

  /** Returns the silence after which a response counts as news. */
  long staleAfterNanos() {
    return policy.health().exploration().minIdleTime().toNanos();
  }

  /** Records how requests end. */
  private final class OutcomeRecorder implements TrackedRequest.OutcomeListener {
    @Override
    public void onResponse(TrackedRequest request, int queueSize, long serviceTimeNanos) {
      NodePhaseState state = request.state;
      if (state.finish(request)) {
        LoadReport report = new LoadReport(queueSize, serviceTimeNanos);
        long now = nanoTime.getAsLong();
        long response =
            spansLocalPause(request, now)
                ? (long) request.expectedNanos
                : Math.max(0, now - request.sentAtNanos);
        state.onResponse(
            request, report, response, now, staleAfterNanos(), lastPauseEndNanos(now), policy);
        state.onReachable(policy.health());
      }
    }

    @Override
    public void onResponseWithoutStats(TrackedRequest request) {
      if (request.state.finish(request)) {
        request.state.onResponseWithoutStats(nanoTime.getAsLong(), policy);
        request.state.onReachable(policy.health());
      }
    }

    @Override
    public void onAbandon(TrackedRequest request) {
      long now = nanoTime.getAsLong();
      request.state.abandon(request, now, lastPauseEndNanos(now));
    }

    @Override
    public void onFailure(TrackedRequest request, Failure failure) {
      NodePhaseState state = request.state;
      long now = nanoTime.getAsLong();
      boolean first =
          failure == Failure.TIMEOUT
              ? state.abandon(request, now, lastPauseEndNanos(now))
              : state.finish(request);
      if (first) {
        applyFailure(state, request, failure, now);
      }
    }
  }

  private void applyFailure(
      NodePhaseState state, TrackedRequest request, Failure failure, long now) {
    switch (failure) {
      case REJECTED -> state.onRejection(now, policy.c3());
      case ERROR -> state.onFailure(true, now, random.nextDouble(), policy.health());
      case TIMEOUT -> {
        if (!spansLocalPause(request, now)) {
          state.onFailure(false, now, random.nextDouble(), policy.health());
        }
      }
      case UNREACHABLE -> state.onUnreachable(now, random, policy.health());
    }
  }

  /** Returns the load of a node for the C3 score and for display. */
  NodeLoad load(NodePhaseState state, long now) {
    C3Averages timings = state.c3Averages();
    double errors = state.failures().decayedRate(now, policy.health());
    double queue = timings.decayedQueue(now, policy.c3());
    boolean known = timings.samples() > 0;
    double response = known ? Math.max(MICROSECOND, timings.responseNanos()) : UNKNOWN_NANOS;
    double service = timings.serviceNanos() > 0 ? timings.serviceNanos() : response;
    return new NodeLoad(state.outstanding(), response, service, queue, errors);
  }

  private NodePhaseStates states(String nodeId) {
    NodePhaseStates states = nodes.get(nodeId);
    return states != null ? states : nodes.computeIfAbsent(nodeId, this::newStates);
  }

  private NodePhaseStates newStates(String nodeId) {
    return new NodePhaseStates(nodeId, fleets, () -> policy.adaptive().defaultSearchThreads());
  }

  private Stream<NodePhaseState> all() {
    return nodes.values().stream().flatMap(NodePhaseStates::all);
  }

  private NodeLoadSnapshot.Health health(NodePhaseState state, long now) {
    LoadEstimate estimate = state.loadEstimate();
    FailureHistory faults = state.failures();
    return new NodeLoadSnapshot.Health(
        estimate.samples(),
        estimate.samples() == 0 ? -1 : now - estimate.repliedAtNanos(),
        state.silenceNanos(now, lastPauseEndNanos(now)),
        faults.ejected(),
        faults.ejected() ? Math.max(0, faults.ejectedUntilNanos() - now) : 0,
        state.isUnsteady());
  }

  private static boolean hasFailures(NodePhaseState state) {
    return !state.failures().equals(FailureHistory.NONE);
  }
}
