package dev.weir.cluster.bounds;

import dev.weir.cluster.BlockingNodeCaller;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.StatePosition;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.protocol.Backoff;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.regex.Regex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns the time bounds of the indices that the policy names, sealed indices first. It reads one
 * index after the other with a pause after each, and none while nodes are busy or check users. Of
 * indices that take writes it also learns the bounds of each copy on a node with the plugin. Runs
 * on one virtual thread; the public methods are safe on any thread.
 */
public final class BoundsLearner implements ClusterViewListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BoundsLearner.class);

  /** The number of indices that share one wait for writes in progress. */
  private static final int BATCH = 32;

  private static final Duration RECHECK_INTERVAL = Duration.ofSeconds(2);
  private static final Duration BUSY_PAUSE = Duration.ofSeconds(1);
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(5));
  private static final int MAX_RETRIES = 100_000;
  private static final Duration POSITION_TIMEOUT = Duration.ofSeconds(5);

  private final BoundsRegistry registry;
  private final BoundsReader reader;
  private final CopyBoundsRegistry copies;
  private final CopyBoundsLearner copyLearner;
  private final NodePositionChecker positions;
  private final NodeSources nodes;
  private final Semaphore wakeUp = new Semaphore(0);
  private final LongAdder failures = new LongAdder();

  private final InstantSource clock;

  /** By index uuid, when to retry; confined to the learning thread. */
  private final Map<String, RetryState> retries = new HashMap<>();

  private volatile TimePruningPolicy policy = TimePruningPolicy.none();
  private volatile String lastFailure = "";
  private @Nullable Thread thread;
  private boolean closed;

  /**
   * Access to the nodes.
   *
   * @param views provides the newest view
   * @param clients call nodes
   * @param capabilities what the nodes' plugins offer
   * @param isUnsecured whether nodes answer questions that name no user
   * @param isBusy whether the nodes are too busy for extra work
   */
  public record NodeSources(
      ClusterViewSource views,
      NodeClients clients,
      NodeCapabilities capabilities,
      BooleanSupplier isUnsecured,
      BooleanSupplier isBusy) {}

  /** When to retry an index, and after how many failures in a row. */
  private record RetryState(long atMillis, int failures) {}

  BoundsLearner(
      BoundsRegistry learned,
      CopyBoundsRegistry copies,
      BoundsReader reader,
      NodePositionChecker positions,
      NodeSources nodes,
      InstantSource clock) {
    this.clock = clock;
    this.copies = copies;
    this.copyLearner = new CopyBoundsLearner(copies, nodes.capabilities(), nodes.clients(), clock);
    this.registry = learned;
    this.reader = reader;
    this.positions = positions;
    this.nodes = nodes;
  }

  /** Creates a learner that is idle until a policy names indices. */
  public static BoundsLearner of(
      BoundsRegistry learned,
      CopyBoundsRegistry copies,
      NodePositionChecker positions,
      NodeSources nodes,
      InstantSource clock) {
    return new BoundsLearner(
        learned,
        copies,
        new BoundsReader(new BlockingNodeCaller(Map.of())),
        positions,
        nodes,
        clock);
  }

  /** Applies a changed policy. */
  public synchronized void setPolicy(TimePruningPolicy changed) {
    if (!changed.indices().equals(policy.indices())
        || !changed.effectiveDateFields().equals(policy.effectiveDateFields())
        || registry.size() > changed.maxIndices()) {
      registry.clear();
      copies.clear();
    }
    policy = changed;
    if (changed.isEnabled() && thread == null && !closed) {
      thread = Thread.ofVirtual().name("weir-bounds").start(this::run);
    }
    wakeUp.release();
  }

  /** Returns how many attempts to learn an index failed. */
  public long failures() {
    return failures.sum();
  }

  /** Returns why the latest failed attempt failed; empty before the first one. */
  public String lastFailure() {
    return lastFailure;
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    if (policy.isEnabled() && wakeUp.availablePermits() == 0) {
      wakeUp.release();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  private void run() {
    try {
      while (true) {
        try {
          while (learnSome()) {
            // continue with the next ones
          }
          learnCopies();
        } catch (RuntimeException | Error defect) {
          LOG.error("learning of bounds failed", defect);
        }
        wakeUp.tryAcquire(RECHECK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        wakeUp.drainPermits();
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether there is something to learn, and nodes would answer: questions name no user. */
  private boolean mayLearn(TimePruningPolicy now) {
    return now.isEnabled() && nodes.isUnsecured().getAsBoolean();
  }

  /** Learns copies of indices that take writes. */
  private void learnCopies() throws InterruptedException {
    TimePruningPolicy now = policy;
    if (!mayLearn(now) || nodes.isBusy().getAsBoolean()) {
      return;
    }
    ClusterView view = nodes.views().current();
    List<IndexMetadata> writable = new ArrayList<>();
    for (IndexMetadata index : view.state().metadata().indices().values()) {
      if (index.getState() == IndexMetadata.State.OPEN
          && !SealedIndexChecker.isSealed(view.state(), index)
          && isNamed(view, index, now)) {
        writable.add(index);
      }
    }
    copyLearner.learn(view, writable, now.effectiveDateFields(), now.maxIndices());
    if (!policy.equals(now)) {
      copies.clear(); // some may be of the old policy
    }
  }

  /** Learns some indices; returns whether there may be more. */
  private boolean learnSome() throws InterruptedException {
    TimePruningPolicy now = policy;
    if (!mayLearn(now)) {
      return false;
    }
    ClusterView view = nodes.views().current();
    if (view.hasNewerRouting()) {
      return false; // the nodes with a copy have to be those of one state
    }
    List<IndexMetadata> due = findDueIndices(view, now, true);
    boolean sealed = !due.isEmpty();
    if (!sealed) {
      due = findDueIndices(view, now, false);
      if (due.isEmpty()) {
        return false;
      }
    }
    if (nodes.isBusy().getAsBoolean()) {
      Thread.sleep(BUSY_PAUSE);
      return true;
    }
    Set<String> holders = new HashSet<>();
    for (IndexMetadata index : due) {
      Set<String> own = SealedIndexChecker.nodesHolding(view.state(), index, true);
      holders.addAll(own == null ? Set.of() : own);
    }
    NodeClient via = chooseNode(holders);
    if (via == null) {
      return false; // no node is connected at the moment
    }
    String obstacle = sealed ? findObstacle(via, holders, view) : null;
    if (obstacle != null) {
      for (IndexMetadata index : due) {
        recordFailure(index, obstacle);
      }
      return false;
    }
    for (IndexMetadata index : due) {
      if (!policy.equals(now) || nodes.isBusy().getAsBoolean()) {
        return true;
      }
      learn(via, index, now, sealed);
      Thread.sleep(now.learningDelay());
    }
    return true;
  }

  /** Returns why no sealed index can be learned now; null if learning is possible. */
  private @Nullable String findObstacle(NodeClient via, Set<String> holders, ClusterView view)
      throws InterruptedException {
    try {
      if (!haveReachedState(holders, view)) {
        return "not all nodes with a copy have confirmed the write block";
      }
      return reader.awaitWrites(via, holders) ? null : "writes are in progress";
    } catch (NodeCallException failure) {
      return "the list of writes in progress is unavailable: " + failure.getMessage();
    }
  }

  private void learn(NodeClient via, IndexMetadata index, TimePruningPolicy now, boolean sealed)
      throws InterruptedException {
    try {
      BoundsReader.ReadResult read = reader.read(via, index, now.effectiveDateFields(), sealed);
      if (read.bounds().isEmpty()) {
        recordFailure(index, read.obstacle());
        return;
      }
      store(
          new IndexBounds(
              index.getIndex().getName(),
              index.getIndexUUID(),
              IndexBounds.Versions.of(index),
              read.bounds(),
              clock.instant(),
              sealed),
          now);
    } catch (NodeCallException failure) {
      recordFailure(index, failure.getMessage());
    }
  }

  private synchronized void store(IndexBounds index, TimePruningPolicy by) {
    retries.remove(index.uuid());
    if (policy.equals(by)) {
      registry.store(index);
    }
  }

  private void recordFailure(IndexMetadata index, @Nullable String why) {
    failures.increment();
    lastFailure = index.getIndex().getName() + ": " + why;
    LOG.debug("not learned: {}", lastFailure);
    if (retries.size() > MAX_RETRIES) {
      retries.clear(); // most belong to deleted indices
    }
    retries.compute(
        index.getIndexUUID(),
        (uuid, before) -> {
          int inARow = before == null ? 1 : before.failures() + 1;
          long pauseMillis = TimeUnit.NANOSECONDS.toMillis(BACKOFF.delayNanos(inARow));
          return new RetryState(clock.millis() + pauseMillis, inARow);
        });
  }

  private boolean isBackingOff(IndexMetadata index) {
    RetryState retry = retries.get(index.getIndexUUID());
    return retry != null && clock.millis() < retry.atMillis();
  }

  private boolean haveReachedState(Set<String> holders, ClusterView view)
      throws InterruptedException {
    CompletableFuture<Boolean> confirmed = new CompletableFuture<>();
    positions.checkAllReached(holders, StatePosition.of(view.state()), confirmed::complete);
    try {
      return confirmed.get(POSITION_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException never) {
      return false;
    }
  }

  private @Nullable NodeClient chooseNode(Set<String> holders) {
    for (String id : holders) {
      NodeClient client = nodes.clients().byId(id);
      if (client != null && client.isConnected()) {
        return client;
      }
    }
    return null;
  }

  /**
   * Returns the indices that the policy names and that are not learned yet, unordered.
   *
   * @param sealed whether to return sealed indices, or the others
   */
  private List<IndexMetadata> findDueIndices(
      ClusterView view, TimePruningPolicy now, boolean sealed) {
    List<IndexMetadata> due = new ArrayList<>();
    int remaining = now.maxIndices() - registry.size();
    for (IndexMetadata index : view.state().metadata().indices().values()) {
      if (due.size() == BATCH) {
        break;
      }
      if (isBackingOff(index)
          || registry.isUpToDate(view.state(), index)
          || SealedIndexChecker.isSealed(view.state(), index) != sealed
          || index.getState() != IndexMetadata.State.OPEN
          || !isNamed(view, index, now)
          || SealedIndexChecker.nodesHolding(view.state(), index, true) == null) {
        continue;
      }
      if (registry.shouldReplace(index, remaining <= 0 && sealed)) {
        due.add(index);
      } else if (remaining > 0) {
        remaining--;
        due.add(index);
      }
    }
    return due;
  }

  private static boolean isNamed(ClusterView view, IndexMetadata index, TimePruningPolicy now) {
    String name = index.getIndex().getName();
    if (Regex.simpleMatch(now.indices(), name)) {
      return true;
    }
    IndexAbstraction known = view.state().metadata().getIndicesLookup().get(name);
    return known != null
        && known.getParentDataStream() != null
        && Regex.simpleMatch(now.indices(), known.getParentDataStream().getName());
  }
}
