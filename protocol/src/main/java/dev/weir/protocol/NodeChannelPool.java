package dev.weir.protocol;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.stats.SlotCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.transport.ConnectTransportException;
import org.opensearch.transport.TransportService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of one node: a READ and a BULK channel on each event loop, and one CONTROL channel.
 * Safe on any thread.
 */
final class NodeChannelPool implements SeedClient {
  private static final Logger LOG = LoggerFactory.getLogger(NodeChannelPool.class);

  private final EventLoops loops;
  private final List<ChannelSlot> reads = new ArrayList<>();
  private final List<ChannelSlot> bulks = new ArrayList<>();
  private final ChannelSlot control;
  private final AtomicInteger openChannels = new AtomicInteger();
  private final AtomicInteger remainingSlots;
  private final Consumer<NodeChannelPool> onClosed;
  private final NodeConnectionListener listener;
  private final boolean isSeed;
  private final CompletableFuture<SeedClient> firstHandshake = new CompletableFuture<>();
  private volatile Peer peer;
  private volatile String clusterName = "";
  private volatile String lastError = "";
  private volatile boolean hasReported;

  /** The ephemeral id of the start of the node that reads zstd; empty for none. */
  private volatile String zstdProcess = "";

  /**
   * Creates a client without open channels.
   *
   * @param onClosed runs once after {@link #close}, on any event loop, when the last channel has
   *     closed
   * @param listener follows this node's connections
   */
  NodeChannelPool(
      EventLoops loops,
      List<LoopContext> contexts,
      Peer peer,
      Consumer<NodeChannelPool> onClosed,
      NodeConnectionListener listener) {
    this.loops = loops;
    this.peer = peer;
    this.isSeed = peer.endpoint().id().isEmpty();
    this.onClosed = onClosed;
    this.listener = listener;
    this.remainingSlots = new AtomicInteger(2 * contexts.size() + 1);
    for (LoopContext context : contexts) {
      reads.add(new ChannelSlot(this, context));
      bulks.add(new ChannelSlot(this, context));
    }
    int controlLoop = Math.floorMod(peer.endpoint().transport().hashCode(), contexts.size());
    this.control = new ChannelSlot(this, contexts.get(controlLoop));
  }

  Peer peer() {
    return peer;
  }

  @Override
  public NodeEndpoint endpoint() {
    return peer.endpoint();
  }

  @Override
  public String clusterName() {
    return clusterName;
  }

  @Override
  public void compressByZstd(String processId) {
    zstdProcess = processId;
  }

  /** Returns whether a start of the node reads zstd. Safe on any thread. */
  boolean readsZstd(String processId) {
    return zstdProcess.equals(processId);
  }

  @Override
  public boolean isConnected() {
    return openChannels.get() > 0;
  }

  @Override
  public <R> PendingCall send(NodeCall<R> call, Executor callerExecutor, ReplyHandler<R> handler) {
    ChannelSlot slot = slot(call.kind(), loops.indexOf(callerExecutor));
    ActiveCall<R> pending = new ActiveCall<>(call, callerExecutor, handler, slot);
    if (slot.loop().inEventLoop()) {
      slot.send(pending);
    } else {
      try {
        slot.loop().execute(pending);
      } catch (RejectedExecutionException e) {
        pending.failLater(peer.notConnected("the client is closed"));
      }
    }
    return pending;
  }

  /**
   * Selects a slot. Writes stay on the caller's event loop even without a connection there: their
   * payload may be in a client's body, which is valid only under the control of that event loop.
   */
  private ChannelSlot slot(ChannelKind kind, int callerLoopIndex) {
    return switch (kind) {
      case READ -> findOpen(reads, callerLoopIndex);
      case BULK ->
          callerLoopIndex >= 0 ? bulks.get(callerLoopIndex) : findOpen(bulks, callerLoopIndex);
      case CONTROL -> control;
    };
  }

  /**
   * Returns the slot of the caller's event loop; if that has no connection, or the caller has no
   * event loop, any open one.
   */
  private static ChannelSlot findOpen(List<ChannelSlot> slots, int callerLoopIndex) {
    int count = slots.size();
    int first =
        callerLoopIndex >= 0 ? callerLoopIndex : (int) (Thread.currentThread().threadId() % count);
    ChannelSlot own = slots.get(first);
    if (own.isUsable()) {
      return own;
    }
    for (int i = 1; i < count; i++) {
      ChannelSlot other = slots.get((first + i) % count);
      if (other.isOpen()) {
        return other;
      }
    }
    return own;
  }

  /** Opens the channels for reads before the first read. */
  void connectReads() {
    reads.forEach(slot -> runOnLoop(slot, ChannelSlot::connect));
  }

  /** Opens one channel to identify the node; completes after its handshake or with its failure. */
  CompletableFuture<SeedClient> discover() {
    runOnLoop(control, ChannelSlot::connect);
    return firstHandshake;
  }

  /** Updates the node's endpoint: another address or another start of the node reconnects. */
  void update(NodeEndpoint endpoint) {
    Peer before = peer;
    if (before.endpoint().equals(endpoint)) {
      return;
    }
    peer = Peer.of(endpoint);
    if (!before.endpoint().transport().equals(endpoint.transport())) {
      forEachSlot(ChannelSlot::onNodeMoved);
    } else if (!before.endpoint().ephemeralId().equals(endpoint.ephemeralId())) {
      forEachSlot(slot -> slot.onNodeRestarted(endpoint.ephemeralId()));
    }
  }

  void onChannelOpened(TransportService.HandshakeResponse response) {
    openChannels.incrementAndGet();
    if (hasReported) {
      hasReported = false;
      LOG.info("node [{}] at {}: connected again", endpoint().name(), peer.node().getAddress());
    }
    lastError = "";
    DiscoveryNode node = response.getDiscoveryNode();
    clusterName = response.getClusterName().value();
    if (peer.endpoint().id().isEmpty()) {
      peer = Peer.of(Handshake.toEndpoint(node, peer.endpoint().transport()));
    }
    listener.onChannelOpened(this, node.getEphemeralId());
    firstHandshake.complete(this);
  }

  void onConnectFailed(ConnectTransportException failure) {
    reportFailure(failure.getMessage());
    firstHandshake.completeExceptionally(failure);
  }

  /** Records a channel that was closed on purpose. */
  void onChannelClosed() {
    if (openChannels.decrementAndGet() == 0) {
      listener.onDisconnected(this);
    }
  }

  /** Records a lost channel. */
  void onChannelLost(@Nullable Throwable cause) {
    onChannelClosed();
    reportFailure("connection lost" + (cause == null ? "" : ": " + cause.getMessage()));
  }

  /** Logs the first failure until a channel is open again. */
  private void reportFailure(@Nullable String error) {
    lastError = error == null ? "" : error;
    if (!hasReported && !endpoint().id().isEmpty()) {
      hasReported = true;
      LOG.warn("node [{}] at {}: {}", endpoint().name(), peer.node().getAddress(), lastError);
    }
  }

  /** Records a closed slot without a connection. */
  void onSlotClosed() {
    if (remainingSlots.decrementAndGet() == 0) {
      onClosed.accept(this);
      firstHandshake.completeExceptionally(peer.connectFailure("the client is closed", null));
    }
  }

  /** Closes after the calls in flight have completed. */
  @Override
  public void close() {
    forEachSlot(slot -> slot.close(false));
  }

  /** Closes immediately: calls in flight fail. */
  void closeNow() {
    forEachSlot(slot -> slot.close(true));
  }

  private void forEachSlot(Consumer<ChannelSlot> action) {
    slots().forEach(slot -> runOnLoop(slot, action));
  }

  private Stream<ChannelSlot> slots() {
    return Stream.of(reads, bulks, List.of(control)).flatMap(List::stream);
  }

  private static void runOnLoop(ChannelSlot slot, Consumer<ChannelSlot> action) {
    try {
      slot.loop().execute(() -> action.accept(slot));
    } catch (RejectedExecutionException e) {
      // The event loop is shut down, and so is every channel on it.
    }
  }

  /** Returns the id with which the counters are reported; empty for a seed. */
  String statsId() {
    return isSeed ? "" : endpoint().id();
  }

  /** Returns the counters of all slots. */
  Stream<SlotCounters> counters() {
    return slots().map(ChannelSlot::counters);
  }

  /** Adds up the counters of clients that are reported with the same id, and of closed ones. */
  static TransportStats.Node stats(List<NodeChannelPool> pools, @Nullable SlotCounters closed) {
    NodeChannelPool first = pools.getFirst();
    Stream<SlotCounters> open = pools.stream().flatMap(NodeChannelPool::counters);
    List<SlotCounters> all = Stream.concat(open, Stream.ofNullable(closed)).toList();
    return new TransportStats.Node(
        first.statsId(),
        first.isSeed ? "" : first.endpoint().name(),
        pools.stream().mapToInt(pool -> pool.openChannels.get()).sum(),
        sum(all, c -> c.inFlight),
        sum(all, c -> c.pending),
        sum(all, c -> c.sent),
        sum(all, c -> c.zstdRequests),
        sum(all, c -> c.responses),
        sum(all, c -> c.timeouts),
        sum(all, c -> c.rejections),
        sum(all, c -> c.orphanedResponses),
        sum(all, c -> c.bytesIn),
        sum(all, c -> c.bytesOut),
        sum(all, c -> c.connects),
        sum(all, c -> c.connectFailures),
        sum(all, c -> c.disconnects),
        first.lastError);
  }

  private static long sum(List<SlotCounters> all, Function<SlotCounters, AtomicLong> counter) {
    return all.stream().mapToLong(one -> counter.apply(one).getOpaque()).sum();
  }
}
