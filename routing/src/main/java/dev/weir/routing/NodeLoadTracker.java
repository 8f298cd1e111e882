package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.Work;
import dev.weir.routing.estimate.Faults;
import dev.weir.routing.estimate.Fleet;
import dev.weir.routing.estimate.Timings;
import dev.weir.routing.write.WriteCosts;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Learns the load of each node, apart for each phase. Safe on any thread; holds one small state for
 * each node and phase until the node is dropped by {@link #retainOnly}.
 */
public final class NodeLoadTracker implements NodeLoads, WriteCosts {
  /** How often to call {@link #heartbeat}. */
  public static final Duration BEAT = OwnPauses.BEAT;

  private static final double MICROSECOND = 1e3;
  private static final double UNKNOWN_NANOS = 1e6;
  private static final Phase[] PHASES = Phase.values();

  private final ConcurrentHashMap<String, NodeStates> nodes = new ConcurrentHashMap<>();
  private final Fleet[] fleets =
      Stream.generate(Fleet::new).limit(PHASES.length).toArray(Fleet[]::new);
  private final OwnPauses pauses = new OwnPauses();
  private volatile RoutingPolicy policy;
  private volatile Consumer<NodeState> onSettled = state -> {};
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

  /** Goes by another policy from now on; what was learned stays. */
  void use(RoutingPolicy other) {
    policy = other;
  }

  /** Tells of every request that is not outstanding on a node any more. */
  void onSettled(Consumer<NodeState> listener) {
    onSettled = listener;
  }

  @Override
  public Outstanding begin(String nodeId, Phase phase, int costClass) {
    return state(nodeId, phase).send(this, costClass, nanoTime.getAsLong());
  }

  /** Forgets every node that is not named. */
  public void retainOnly(Set<String> nodeIds) {
    nodes.keySet().retainAll(nodeIds);
  }

  /** Forgets a node, because it was restarted; what is outstanding on it still settles. */
  public void forget(String nodeId) {
    nodes.remove(nodeId);
  }

  /** Learns how many threads a node's pool for a phase has; at least 1. */
  public void threads(String nodeId, Phase phase, int threads) {
    states(nodeId).threads(phase, threads);
  }

  /**
   * Tells that this process runs; to be called every {@link #BEAT}. Where it is, silence and
   * timeouts that come from a pause of the process itself are not held against nodes.
   */
  public void heartbeat() {
    pauses.beat(nanoTime.getAsLong());
  }

  /** Requests outstanding on all known nodes; zero at rest. */
  public int outstanding() {
    return all().mapToInt(NodeState::outstanding).sum();
  }

  /** The loads of all known nodes, by node and phase, to be shown. */
  public List<LoadView> views() {
    long now = nanoTime.getAsLong();
    return all()
        .filter(state -> state.belief().samples() > 0 || state.outstanding() > 0 || faulty(state))
        .map(state -> new LoadView(state.nodeId, state.phase, load(state, now), trust(state, now)))
        .sorted(Comparator.comparing(LoadView::nodeId).thenComparing(LoadView::phase))
        .toList();
  }

  /**
   * What is known of a class of requests.
   *
   * @param cost over the mean of its phase; 1 while not known
   * @param answers that it was learned from
   */
  public record ClassCost(double cost, long answers) {}

  /** What requests of a class cost. */
  public ClassCost cost(Phase phase, int costClass) {
    Fleet fleet = fleet(phase);
    return new ClassCost(fleet.cost(costClass), fleet.answers(costClass));
  }

  /** b, what a node's answers to requests of a class take beyond the prediction. */
  public double residualNanos(String nodeId, Phase phase, int costClass) {
    NodeStates states = nodes.get(nodeId);
    return states == null ? 0 : states.of(phase).residualNanos(costClass);
  }

  @Override
  public double expectedNanos(String nodeId, Work work) {
    long now = nanoTime.getAsLong();
    NodeState state = state(nodeId, work.phase());
    return state.faults().ejected()
        ? Double.POSITIVE_INFINITY
        : state.expectedNanos(work.costClass(), now) + state.silenceNanos(now, awakeSince(now));
  }

  @Override
  public boolean wantsTrial(String nodeId, Phase phase) {
    long now = nanoTime.getAsLong();
    NodeState state = state(nodeId, phase);
    return state.faults().ejected()
        ? state.takeProbe(now, random.nextDouble(), policy.health())
        : state.unheard(now, newsAfterNanos());
  }

  NodeState state(String nodeId, Phase phase) {
    return states(nodeId).of(phase);
  }

  /** What all nodes have in common in a phase. */
  Fleet fleet(Phase phase) {
    return fleets[phase.ordinal()];
  }

  /** How many nodes ever reported in a phase. */
  int reporting(Phase phase) {
    int count = 0;
    for (NodeStates states : nodes.values()) {
      count += states.of(phase).stock.known() ? 1 : 0;
    }
    return count;
  }

  /** The moment before which silence is this process's own. */
  long awakeSince(long now) {
    return pauses.awakeSinceNanos(now);
  }

  /** Whether this process stood still since an exchange began: what it took says nothing then. */
  boolean overslept(Exchange exchange, long now) {
    return pauses.within(exchange.sentAtNanos, now);
  }

  /** After so long a silence an answer is news. */
  long newsAfterNanos() {
    return policy.health().exploration().after().toNanos();
  }

  void replied(Exchange exchange, int queueSize, long serviceTimeNanos) {
    if (exchange.state.settle(exchange)) {
      Report report = new Report(queueSize, serviceTimeNanos);
      exchange.state.replied(exchange, report, nanoTime.getAsLong(), newsAfterNanos(), policy);
      onSettled.accept(exchange.state);
    }
  }

  void answered(Exchange exchange) {
    if (exchange.state.settle(exchange)) {
      exchange.state.answered(nanoTime.getAsLong(), policy);
      onSettled.accept(exchange.state);
    }
  }

  void abandoned(Exchange exchange) {
    if (exchange.state.giveUp(exchange, nanoTime.getAsLong())) {
      onSettled.accept(exchange.state);
    }
  }

  void failed(Exchange exchange, Failure failure) {
    NodeState state = exchange.state;
    long now = nanoTime.getAsLong();
    boolean first =
        failure == Failure.TIMEOUT ? state.giveUp(exchange, now) : state.settle(exchange);
    if (first) {
      judge(state, exchange, failure, now);
      onSettled.accept(state);
    }
  }

  private void judge(NodeState state, Exchange exchange, Failure failure, long now) {
    switch (failure) {
      case REJECTED -> state.rejected(now, policy.c3());
      case ERROR -> state.failed(true, now, random.nextDouble(), policy.health());
      case TIMEOUT -> {
        if (!overslept(exchange, now)) {
          state.failed(false, now, random.nextDouble(), policy.health());
        }
      }
      case UNREACHABLE -> {
        state
            .everyPhase()
            .forEach(each -> each.failed(false, now, random.nextDouble(), policy.health()));
      }
    }
  }

  /** What a node looks like to the C3 rank, and to people. */
  NodeLoad load(NodeState state, long now) {
    Timings timings = state.timings();
    double errors = state.faults().fadedRate(now, policy.health());
    double queue = timings.fadedQueue(now, policy.c3());
    boolean known = timings.samples() > 0;
    double response = known ? Math.max(MICROSECOND, timings.responseNanos()) : UNKNOWN_NANOS;
    double service = timings.serviceNanos() > 0 ? timings.serviceNanos() : response;
    return new NodeLoad(state.outstanding(), response, service, queue, errors);
  }

  private NodeStates states(String nodeId) {
    NodeStates states = nodes.get(nodeId);
    return states != null ? states : nodes.computeIfAbsent(nodeId, this::newStates);
  }

  private NodeStates newStates(String nodeId) {
    return new NodeStates(nodeId, fleets, () -> policy.adaptive().threads());
  }

  private Stream<NodeState> all() {
    return nodes.values().stream().flatMap(NodeStates::all);
  }

  private static LoadView.Trust trust(NodeState state, long now) {
    Belief belief = state.belief();
    Faults faults = state.faults();
    return new LoadView.Trust(
        belief.samples(),
        belief.samples() == 0 ? -1 : now - belief.repliedAtNanos(),
        faults.ejected(),
        faults.ejected() ? Math.max(0, faults.ejectedUntilNanos() - now) : 0);
  }

  private static boolean faulty(NodeState state) {
    return !state.faults().equals(Faults.NONE);
  }
}
