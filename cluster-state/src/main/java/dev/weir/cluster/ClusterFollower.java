package dev.weir.cluster;

import dev.weir.cluster.capability.NodeCapabilityRegistry;
import dev.weir.cluster.diff.StateStepDecoder;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.Backoff;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.Metadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a cluster without joining it: finds its nodes from seeds, maintains the newest view of
 * the cluster state, and serves that view and its age even while the cluster is unreachable. Runs
 * on virtual threads; every public method is safe on any thread.
 *
 * <p>It uses five kinds of threads: one polls nodes in turn and reads a changed state, one waits at
 * a node with the plugin for the changes themselves, one waits at a node without it for metadata
 * changes, one checks the seeds, and short-lived ones ask new nodes for their REST address.
 */
public final class ClusterFollower implements ClusterViewSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterFollower.class);

  private static final String NO_STATE_YET = "the gateway has not heard from the cluster yet";
  private static final String UNREACHABLE = "no node of the cluster can be reached";
  private static final String WHERE_TO_LOOK = "; /readyz of the admin port says why";
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(100), 2, Duration.ofSeconds(5));
  private static final Duration DEFECT_PAUSE = Duration.ofSeconds(1);
  private static final Duration MIN_PAUSE = Duration.ofMillis(10);

  /** The longest pause between polls while shards are moving. */
  private static final Duration MAX_PAUSE_WHILE_MOVING = Duration.ofMillis(100);

  private static final long FACTS_RETRY_NANOS = Duration.ofSeconds(2).toNanos();
  private static final double JITTER = 0.1;

  private final ClusterFollowerOptions options;
  private final NodeConnector access;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final ClusterViewStore views;
  private final ClusterErrors errors = new ClusterErrors();
  private final StateReadCounts readCounts = new StateReadCounts();
  private final NodeCapabilityRegistry capabilities;
  private final NodeInfoCollector nodeInfo;
  private final ViewPublisher publisher;
  private final PollNodeSelector candidates;
  private final ClusterRediscovery rediscovery;
  private final ClusterStateWatcher watch;
  private final ClusterStateDiffFollower diffs;
  private final MetadataWatcher metadataWatch;
  private final ForeignSeedDetector seedCheck;
  private final Semaphore wakeUp = new Semaphore(0);
  private final AtomicBoolean learning = new AtomicBoolean();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable GatewayNode> newGateway = new AtomicReference<>();
  private final AtomicBoolean hasNewNodeInfo = new AtomicBoolean();
  private long nodeInfoAskedNanos;
  private boolean closed;

  /**
   * Creates a follower; call {@link #start} to begin.
   *
   * @param access connects to nodes; the caller closes it
   * @param registries parse the state; the follower applies the cluster's settings to their cluster
   *     settings
   * @param nanoTime the clock, {@link System#nanoTime()}
   * @param random spreads the polls of several gateways over time
   */
  public ClusterFollower(
      ClusterFollowerOptions options,
      NodeConnector access,
      OpenSearchRegistries registries,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.options = options;
    this.access = access;
    this.nanoTime = nanoTime;
    this.random = random;
    this.views = new ClusterViewStore(ClusterView.empty(nanoTime.getAsLong()));
    views.addListener(new SettingsApplier(registries.clusterSettings()));
    this.capabilities = new NodeCapabilityRegistry(options.headers());
    access.addConnectionListener(capabilities);
    BlockingNodeCaller calls = new BlockingNodeCaller(options.headers());
    this.nodeInfo =
        new NodeInfoCollector(calls, registries.clusterSettings(), options.restAddresses());
    GatewayNode self = GatewayNode.of(options.gateway().name(), options.gateway().attributes());
    this.publisher = new ViewPublisher(self, access, nodeInfo, views, nanoTime);
    this.candidates = new PollNodeSelector(access.clients(), random.nextInt());
    ClusterStateReader reader =
        new ClusterStateReader(calls, registries.writeables(), readCounts, nanoTime);
    SeedDiscovery hunt = new SeedDiscovery(access, nanoTime);
    this.rediscovery = new ClusterRediscovery(options, hunt, reader, publisher, nodeInfo, errors);
    this.diffs =
        new ClusterStateDiffFollower(
            new ClusterStateDiffFollower.CallContext(
                calls, capabilities, new StateStepDecoder(registries.writeables()), readCounts),
            new PollNodeSelector(access.clients(), random.nextInt()),
            publisher,
            views,
            wakeUp::release);
    this.watch = new ClusterStateWatcher(reader, candidates, publisher, rediscovery, errors, diffs);
    ClusterStateReader aside =
        new ClusterStateReader(calls, registries.writeables(), readCounts, nanoTime);
    this.metadataWatch =
        new MetadataWatcher(
            aside,
            new PollNodeSelector(access.clients(), random.nextInt()),
            views,
            this::onNewerState,
            diffs);
    this.seedCheck = new ForeignSeedDetector(options.seeds(), hunt, aside, views, errors);
    this.nodeInfoAskedNanos = nanoTime.getAsLong() - FACTS_RETRY_NANOS;
  }

  /** Changes the gateway's attributes, such as zone, in all later views. */
  public void setAttributes(Map<String, String> attributes) {
    newGateway.set(GatewayNode.of(options.gateway().name(), attributes));
    wakeUp.release();
  }

  /** A loop that runs until it is interrupted. */
  private interface BackgroundLoop {
    void run() throws InterruptedException;
  }

  /** Starts to follow; call it once. */
  public synchronized void start() {
    startLoop("weir-cluster-watch", this::follow);
  }

  /** Adds a listener, which is called with every view that differs from the one before it. */
  public void addListener(ClusterViewListener listener) {
    views.addListener(listener);
  }

  /** Returns a stage that completes, on the polling thread, with the first view of the cluster. */
  public CompletionStage<ClusterView> firstView() {
    return views.firstView().minimalCompletionStage();
  }

  @Override
  public ClusterView current() {
    return views.newest();
  }

  @Override
  public CompletionStage<ClusterView> refresh(ClusterView stale) {
    CompletionStage<ClusterView> answer = views.refresh();
    wakeUp.release();
    return answer;
  }

  @Override
  public void onShardFailure(Exception failure) {
    if (watch.onShardFailure(failure)) {
      wakeUp.release();
    }
  }

  /**
   * Returns how often another cluster replaced the followed one at its addresses, or an earlier
   * state of the same cluster did.
   */
  public long replacements() {
    return rediscovery.replacements();
  }

  /** Returns which parts of the plugin each node has. */
  public NodeCapabilityRegistry capabilities() {
    return capabilities;
  }

  /** Returns the id of the node that answers with changes of the state; null if there is none. */
  public @Nullable String diffNode() {
    return diffs.followedNode();
  }

  /** Returns how the follower reads states. */
  public StateReadCounts readCounts() {
    return readCounts;
  }

  /** Returns the current status. */
  public ClusterStatus status() {
    ClusterView view = views.newest();
    Metadata metadata = view.state().metadata();
    boolean known = !metadata.clusterUUID().equals(Metadata.UNKNOWN_CLUSTER_UUID);
    return new ClusterStatus(
        known
            ? new ClusterStatus.Identity(
                view.state().getClusterName().value(), metadata.clusterUUID())
            : null,
        StatePosition.of(view.state()),
        Duration.ofNanos(nanoTime.getAsLong() - view.confirmedAtNanos()),
        publisher.unknownParts(),
        new ClusterStatus.Nodes(
            view.nodes().size(),
            connected(view),
            view.state().nodes().getClusterManagerNodeId() != null),
        errors.snapshot());
  }

  /**
   * Returns why no node can be reached, with the addresses tried; null while a node is or may be
   * reachable. Cheap in the normal case.
   */
  public @Nullable String unreachableReason() {
    String error = errors.lastError();
    ClusterView view = views.newest();
    if (view.nodes().isEmpty()) {
      return NO_STATE_YET
          + ", asking "
          + options.seeds().hosts()
          + (error == null ? "" : ": " + error);
    }
    return error == null || connected(view) > 0 ? null : UNREACHABLE + ": " + error;
  }

  /** Returns the same reason for clients, without the addresses of nodes. */
  public @Nullable String unreachableSummary() {
    return unreachableReason() == null
        ? null
        : (views.newest().nodes().isEmpty() ? NO_STATE_YET : UNREACHABLE) + WHERE_TO_LOOK;
  }

  private int connected(ClusterView view) {
    int connected = 0;
    for (String id : view.nodes().keySet()) {
      NodeClient client = access.clients().byId(id);
      connected += client != null && client.isConnected() ? 1 : 0;
    }
    return connected;
  }

  /** Stops to follow; the newest view stays available. */
  @Override
  public synchronized void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    threads.clear();
  }

  private synchronized void startLoop(String name, BackgroundLoop loop) {
    if (closed) {
      return;
    }
    threads.add(
        Thread.ofVirtual()
            .name(name)
            .start(() -> {
              try {
                while (true) {
                  runLoop(name, loop);
                  Thread.sleep(DEFECT_PAUSE);
                }
              } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
              }
            }));
  }

  /** Runs a loop and restarts it after a defect, because the view would otherwise become stale. */
  private void runLoop(String name, BackgroundLoop loop) throws InterruptedException {
    try {
      loop.run();
    } catch (RuntimeException | Error defect) {
      errors.recordDefect(name, defect);
    }
  }

  private void follow() throws InterruptedException {
    int failures = 0;
    while (true) {
      if (poll()) {
        if (watching.compareAndSet(false, true)) {
          startLoop("weir-cluster-diffs", diffs::run);
          startLoop("weir-cluster-metadata", metadataWatch::run);
          startLoop("weir-cluster-seeds", seedCheck::run);
        }
        failures = 0;
        Thread.sleep(MIN_PAUSE);
        long pause = addJitter(pollIntervalNanos());
        long owed = watch.readDelayNanos(views.hasWaiters());
        wakeUp.tryAcquire(owed > 0 ? Math.min(owed, pause) : pause, TimeUnit.NANOSECONDS);
        wakeUp.drainPermits();
      } else {
        failures++;
        Thread.sleep(Duration.ofNanos(addJitter(BACKOFF.delayNanos(failures))));
      }
    }
  }

  private long pollIntervalNanos() {
    long configured = options.pollInterval().toNanos();
    return watch.isExpectingChanges()
        ? Math.min(configured, MAX_PAUSE_WHILE_MOVING.toNanos())
        : configured;
  }

  private boolean poll() throws InterruptedException {
    ClusterViewStore.PendingRefresh due = views.takePendingRefresh();
    boolean reached = false;
    try {
      GatewayNode now = newGateway.getAndSet(null);
      if (now != null) {
        publisher.setGateway(now);
      }
      if (hasNewNodeInfo.getAndSet(false)) {
        publisher.republish();
      }
      reached = watch.poll(due != null);
      if (reached) {
        collectNodeInfo();
      }
    } catch (RuntimeException | Error defect) {
      errors.recordDefect("the poll of the cluster state", defect);
    } finally {
      if (due != null) {
        views.complete(due, reached && watch.readDelayNanos(true) == 0);
      }
    }
    return reached;
  }

  private void collectNodeInfo() {
    List<NodeClient> nodes = candidates.nextOrder(views.newest());
    Set<String> silent = publisher.nodesWithoutInfo();
    long now = nanoTime.getAsLong();
    if (silent.isEmpty()
        || nodes.isEmpty()
        || now - nodeInfoAskedNanos < FACTS_RETRY_NANOS
        || !learning.compareAndSet(false, true)) {
      return;
    }
    nodeInfoAskedNanos = now;
    Thread.ofVirtual()
        .name("weir-cluster-facts")
        .start(() -> collectNodeInfo(nodes.getFirst(), silent));
  }

  private void collectNodeInfo(NodeClient node, Set<String> silent) {
    try {
      if (nodeInfo.collect(node, silent)) {
        hasNewNodeInfo.set(true);
      }
    } catch (NodeCallException refused) {
      LOG.debug("nodes info not read", refused);
      askSilentNodes(silent);
    } catch (InterruptedException never) {
      Thread.currentThread().interrupt();
    } finally {
      learning.set(false);
      wakeUp.release();
    }
  }

  private void askSilentNodes(Set<String> silent) {
    for (String id : silent) {
      NodeClient node = access.clients().byId(id);
      if (node == null || !node.isConnected()) {
        continue;
      }
      try {
        if (nodeInfo.collectOwn(node)) {
          hasNewNodeInfo.set(true);
        }
      } catch (NodeCallException unreachable) {
        LOG.debug("node info not read", unreachable);
      } catch (InterruptedException never) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void onNewerState(NodeClient node) {
    watch.hint(node);
    wakeUp.release();
  }

  private long addJitter(long nanos) {
    return (long) (nanos * (1 + JITTER * (2 * random.nextDouble() - 1)));
  }
}
