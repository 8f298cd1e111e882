package dev.weir.core.actions.warmup;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.config.policy.WarmUpPolicy;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.routing.weight.NodeWeight;
import dev.weir.routing.weight.NodeWeights;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.index.Index;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warms the copies of one cluster that are new on their node: while another copy serves clients, it
 * sends them recent searches and drops the responses. These count neither as the node's load nor
 * among the requests of clients. Safe on any thread; the work is confined to one executor.
 */
public final class WarmUpService implements ClusterViewListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUpService.class);
  private static final int MAX_REMEMBERED_BYTES = 8 << 20;
  private static final Duration TICK = Duration.ofMillis(100);

  /** How long a copy's share of requests rises after its warm-up. */
  private static final Duration RAMP = Duration.ofSeconds(5);

  /** How many ticks in a row clients' requests wait for nodes before they need the copies. */
  private static final int MAX_OVERLOADED_TICKS = 20;

  private final WarmUpTargets targets;
  private final CoordinationTimers timers;
  private final Executor executor;
  private final SearchMemory memory = new SearchMemory(MAX_REMEMBERED_BYTES);
  private final WarmUpCounts counts = new WarmUpCounts();
  private final RecentSearches recentSearches;
  private volatile WarmUpPolicy policy;

  /** What to warm once requests use the next view. Used by the thread of views alone. */
  private final Map<NewCopies.NewCopy, List<RememberedSearch>> due = new LinkedHashMap<>();

  // Used by the executor's tasks alone.
  private final Map<String, NodeQueue> queues = new LinkedHashMap<>();
  private long nextSendNanos;
  private boolean isTicking;

  /** Nothing is sent while this is not 0. */
  private int overloadedTicks;

  /**
   * What the warm-up reaches of a cluster.
   *
   * @param clients reach the nodes
   * @param weights hold back copies
   * @param writeables reads searches
   * @param isUnsecured whether searches belong to no user
   * @param isOverloaded whether clients' requests wait for nodes
   */
  public record WarmUpTargets(
      NodeClients clients,
      NodeWeights weights,
      NamedWriteableRegistry writeables,
      BooleanSupplier isUnsecured,
      BooleanSupplier isOverloaded) {}

  /** The copies of one node that are warmed, in turns. */
  private static final class NodeQueue {
    private final Deque<CopyWarmUp> copies = new ArrayDeque<>();

    /** May be over 0 without copies: calls outlast the warm-up of their copy. */
    private int inFlight;

    boolean isIdle() {
      return copies.isEmpty() && inFlight == 0;
    }
  }

  /**
   * Creates the service. It follows the cluster once it is a listener of its views.
   *
   * @param executor runs one task at a time, such as an event loop
   */
  public WarmUpService(
      WarmUpPolicy policy, WarmUpTargets targets, CoordinationTimers timers, Executor executor) {
    this.targets = targets;
    this.timers = timers;
    this.executor = executor;
    this.policy = policy;
    this.nextSendNanos = timers.nanoClock().getAsLong();
    this.recentSearches = new RecentSearches(memory, timers.nanoClock(), targets.isUnsecured());
    updatePolicy(policy);
  }

  /** Applies a changed policy. */
  public void updatePolicy(WarmUpPolicy changed) {
    policy = changed;
    recentSearches.setMaxShapes(changed.enabled() ? changed.maxShapes() : 0);
    if (!changed.enabled()) {
      executor.execute(() -> endAll(WarmUpEnd.DISABLED));
    }
  }

  /** What remembers the clients' searches. */
  public RecentSearches recentSearches() {
    return recentSearches;
  }

  WarmUpCounts counts() {
    return counts;
  }

  int rememberedSearches() {
    return memory.size();
  }

  long rememberedBytes() {
    return memory.bytes();
  }

  /** Holds new copies back before a request can use them. */
  @Override
  public void beforeChange(ClusterView before, ClusterView next) {
    due.clear();
    if (!policy.enabled()) {
      return;
    }
    boolean isUnsecured = targets.isUnsecured().getAsBoolean();
    if (!isUnsecured) {
      memory.clear();
    }
    Set<Index> gone = new HashSet<>();
    List<Index> remembered = memory.indices();
    for (Index index : remembered) {
      if (next.state().metadata().index(index) == null) {
        gone.add(index);
      }
    }
    memory.forget(gone);
    List<NewCopies.NewCopy> found =
        isUnsecured ? NewCopies.find(before, next, remembered) : List.of();
    Map<String, NodeWeight> held = new HashMap<>();
    for (NewCopies.NewCopy copy : found) {
      List<RememberedSearch> searches = memory.searchesOf(copy.shard().getIndex());
      if (!searches.isEmpty()) {
        due.put(copy, searches);
        held.put(copy.allocationId(), NodeWeight.of(0));
      }
    }
    if (!held.isEmpty()) {
      targets.weights().changeCopies(held);
    }
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    Map<NewCopies.NewCopy, List<RememberedSearch>> starting = new LinkedHashMap<>(due);
    executor.execute(() -> {
      endMoved(now);
      starting.forEach(this::start);
    });
  }

  private void start(NewCopies.NewCopy copy, List<RememberedSearch> searches) {
    counts.recordStart();
    long end = timers.nanoClock().getAsLong() + policy.maxDuration().toNanos();
    queues
        .computeIfAbsent(copy.nodeId(), id -> new NodeQueue())
        .copies
        .add(new CopyWarmUp(copy, searches, end));
    if (!policy.enabled()) {
      endAll(WarmUpEnd.DISABLED);
    } else if (!isTicking) {
      isTicking = true;
      LOG.info("warming new copies of shards, first {} on node {}", copy.shard(), copy.nodeId());
      tick();
    }
  }

  private void endMoved(ClusterView now) {
    for (NodeQueue queue : queues.values()) {
      for (CopyWarmUp warmUp : queue.copies) {
        if (!NewCopies.isStarted(warmUp.copy(), now)) {
          warmUp.end(WarmUpEnd.MOVED);
        }
      }
    }
  }

  private void endAll(WarmUpEnd reason) {
    queues.values().forEach(queue -> queue.copies.forEach(warmUp -> warmUp.end(reason)));
    releaseEnded();
  }

  private void tick() {
    try {
      overloadedTicks = targets.isOverloaded().getAsBoolean() ? overloadedTicks + 1 : 0;
      if (overloadedTicks >= MAX_OVERLOADED_TICKS) {
        endAll(WarmUpEnd.OVERLOADED);
        overloadedTicks = 0;
      }
      sendDue();
    } finally { // whatever happens, a copy is not held back for longer than its time
      isTicking = queues.values().stream().anyMatch(queue -> !queue.copies.isEmpty());
      if (isTicking) {
        timers.scheduler().schedule(TICK, executor, this::tick);
      }
    }
  }

  /** Sends what the bounds allow now. */
  private void sendDue() {
    if (!targets.isUnsecured().getAsBoolean()) { // searches belong to users from now on
      memory.clear();
      queues.values().forEach(queue -> queue.copies.forEach(one -> one.end(WarmUpEnd.DISABLED)));
    }
    releaseEnded();
    if (overloadedTicks > 0) {
      return;
    }
    for (String node : List.copyOf(queues.keySet())) {
      NodeQueue queue = Objects.requireNonNull(queues.remove(node));
      queues.put(node, queue); // the next time another node is the first
      for (int tried = queue.copies.size(); tried > 0 && queue.inFlight < policy.maxInFlight(); ) {
        if (!isWithinRate()) {
          return;
        }
        CopyWarmUp turn = queue.copies.removeFirst();
        queue.copies.addLast(turn);
        RememberedSearch search = turn.poll();
        if (search == null) {
          tried--;
        } else {
          send(queue, turn, search);
        }
      }
    }
  }

  /** Returns whether one more search may be sent; some at once after a pause. */
  private boolean isWithinRate() {
    long now = timers.nanoClock().getAsLong();
    if (now - nextSendNanos > TICK.toNanos()) {
      nextSendNanos = now - TICK.toNanos();
    }
    return now - nextSendNanos >= 0;
  }

  private void send(NodeQueue queue, CopyWarmUp warmUp, RememberedSearch search) {
    NewCopies.NewCopy copy = warmUp.copy();
    @Nullable NodeClient client = targets.clients().byId(copy.nodeId());
    NodeCall<Boolean> call;
    try {
      if (client == null) {
        throw new IOException("got no client of node " + copy.nodeId() + " (expected: one)");
      }
      call =
          ReplayedQuery.create(
              search,
              copy.shard(),
              targets.writeables(),
              System.currentTimeMillis(),
              warmUp.usesRequestCache());
    } catch (IOException | RuntimeException e) {
      LOG.debug("can't repeat a search on {}", copy, e);
      counts.recordFailure();
      warmUp.onFailure(timers.nanoClock().getAsLong(), search);
      return;
    }
    counts.recordRequest();
    nextSendNanos += Duration.ofSeconds(1).toNanos() / policy.maxRequestsPerSecond();
    queue.inFlight++;
    long sentNanos = timers.nanoClock().getAsLong();
    client.send(
        call,
        executor,
        new ReplyHandler<>() {
          @Override
          public void onReply(Boolean reply, ReplyFrame frame) {
            long now = timers.nanoClock().getAsLong();
            onCallEnd(queue);
            counts.recordResponse(now - sentNanos);
            warmUp.onResponse(now, now - sentNanos);
            executor.execute(WarmUpService.this::sendDue);
          }

          @Override
          public void onFailure(NodeCallException failure) {
            LOG.debug("a repeated search failed on {}", copy, failure);
            onCallEnd(queue);
            counts.recordFailure();
            warmUp.onFailure(
                timers.nanoClock().getAsLong(), search); // the next one goes with the next tick
          }
        });
  }

  private void onCallEnd(NodeQueue queue) {
    queue.inFlight--;
    removeIdleQueues();
  }

  private void removeIdleQueues() {
    queues.values().removeIf(NodeQueue::isIdle);
  }

  /** A failed or overloaded copy may still be cold, so its share rises too. */
  private static NodeWeight releaseWeight(WarmUpEnd reason) {
    return switch (reason) {
      case STEADY, MAX_DURATION, FAILED, OVERLOADED ->
          new NodeWeight(NodeWeight.FULL, 0, System.currentTimeMillis(), RAMP.toMillis());
      case MOVED, DISABLED -> NodeWeight.of(NodeWeight.FULL);
    };
  }

  private void releaseEnded() {
    long now = timers.nanoClock().getAsLong();
    Map<String, NodeWeight> released = new HashMap<>();
    for (NodeQueue queue : queues.values()) {
      queue.copies.removeIf(warmUp -> {
        WarmUpEnd reason = warmUp.ended(now);
        if (reason != null) {
          counts.recordEnd(reason);
          released.put(warmUp.copy().allocationId(), releaseWeight(reason));
        }
        return reason != null;
      });
    }
    removeIdleQueues();
    if (!released.isEmpty()) {
      targets.weights().changeCopies(released);
    }
  }

  @Override
  public void close() {
    executor.execute(() -> endAll(WarmUpEnd.DISABLED));
  }
}
