package dev.weir.protocol;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.outbound.UnsentBytesLimiter;
import dev.weir.protocol.stats.SlotCounters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/** The TCP clients of one cluster's nodes. Safe on any thread. */
public final class TransportClients implements NodeClients, AutoCloseable {
  private final EventLoops loops;
  private final List<LoopContext> contexts;
  private final CountingFrameBudget heldFrames;
  private final UnsentBytesLimiter unsentBytes;
  private final Map<String, NodeChannelPool> nodes = new ConcurrentHashMap<>();
  // Clients of seeds, and of former nodes that drain.
  private final Set<NodeChannelPool> others = ConcurrentHashMap.newKeySet();
  // The totals of closed clients by the id of a row that goes on; under this object's lock.
  private final Map<String, SlotCounters> closedTotals = new HashMap<>();
  private final List<NodeConnectionListener> listeners = new CopyOnWriteArrayList<>();
  private boolean closed;

  /**
   * Starts without nodes.
   *
   * @param loops the event loops of the channels; owned by the caller
   * @param registry reads named payloads
   * @param memory the bounds that clients of all clusters share
   * @param random spreads attempts to reconnect
   */
  public TransportClients(
      EventLoops loops,
      NamedWriteableRegistry registry,
      TransportOptions options,
      TransportMemory memory,
      SplittableGenerator random) {
    this.loops = loops;
    this.heldFrames = new CountingFrameBudget(options.budget());
    this.unsentBytes = memory.limiterForCluster();
    LoopContext.SharedResources shared =
        new LoopContext.SharedResources(
            registry, options, heldFrames, unsentBytes, loops.allocator(), memory.arrayPool());
    this.contexts = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      contexts.add(new LoopContext(loops.loop(i), loops.socketChannel(), shared, random.split()));
    }
  }

  /**
   * Adds a listener to the connections of the nodes in {@link #update}; those of seeds have none.
   * Connections that are open already are not reported.
   */
  public void addConnectionListener(NodeConnectionListener listener) {
    listeners.add(listener);
  }

  /** Calls all listeners. */
  private record Listeners(List<NodeConnectionListener> all) implements NodeConnectionListener {
    @Override
    public void onChannelOpened(NodeClient node, String processId) {
      all.forEach(listener -> listener.onChannelOpened(node, processId));
    }

    @Override
    public void onDisconnected(NodeClient node) {
      all.forEach(listener -> listener.onDisconnected(node));
    }
  }

  @Override
  public @Nullable NodeClient byId(String nodeId) {
    return nodes.get(nodeId);
  }

  @Override
  public Collection<? extends NodeClient> all() {
    return List.copyOf(nodes.values());
  }

  /**
   * Replaces the set of known nodes: connects to new nodes, reconnects to nodes with another
   * address, and closes clients of removed nodes after their calls in flight.
   */
  public synchronized void update(Collection<NodeEndpoint> endpoints) {
    if (closed) {
      return;
    }
    Map<String, NodeChannelPool> gone = new HashMap<>(nodes);
    for (NodeEndpoint endpoint : endpoints) {
      gone.remove(endpoint.id());
      NodeChannelPool known = nodes.get(endpoint.id());
      if (known != null) {
        known.update(endpoint);
      } else {
        NodeChannelPool fresh =
            new NodeChannelPool(
                loops, contexts, Peer.of(endpoint), this::onClosed, new Listeners(listeners));
        nodes.put(endpoint.id(), fresh);
        fresh.connectReads();
      }
    }
    gone.forEach((id, node) -> {
      nodes.remove(id);
      others.add(node);
      node.close();
    });
  }

  /**
   * Connects to the node at an address; a virtual thread first resolves an unresolved name.
   *
   * @return completes on an event loop with the node's client after the handshake, or exceptionally
   *     with OpenSearch's ConnectTransportException; there is one attempt
   */
  public CompletionStage<SeedClient> connectSeed(InetSocketAddress address) {
    if (!address.isUnresolved()) {
      return connectTo(address);
    }
    CompletableFuture<InetSocketAddress> resolved = new CompletableFuture<>();
    Thread.ofVirtual().name("weir-lookup").start(() -> lookUp(address, resolved));
    return resolved.thenCompose(this::connectTo);
  }

  private static void lookUp(
      InetSocketAddress address, CompletableFuture<InetSocketAddress> resolved) {
    String host = address.getHostString();
    try {
      resolved.complete(new InetSocketAddress(InetAddress.getByName(host), address.getPort()));
    } catch (UnknownHostException e) {
      resolved.completeExceptionally(
          Peer.ofUnknownNode(address).connectFailure("unknown host [" + host + "]", e));
    }
  }

  private CompletionStage<SeedClient> connectTo(InetSocketAddress address) {
    NodeChannelPool seed =
        new NodeChannelPool(
            loops, contexts, Peer.ofUnknownNode(address), this::onClosed, new Listeners(List.of()));
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedStage(
            new IllegalStateException("got a call after close (expected: before)"));
      }
      others.add(seed);
    }
    return seed.discover()
        .whenComplete((client, failure) -> {
          if (failure != null) {
            seed.close();
          }
        });
  }

  /** Keeps a closed client's totals for its row: of all seeds, or of a node that came back. */
  private synchronized void onClosed(NodeChannelPool pool) {
    others.remove(pool);
    String id = pool.statsId();
    if (id.isEmpty() || clients().anyMatch(other -> other.statsId().equals(id))) {
      SlotCounters totals = closedTotals.computeIfAbsent(id, row -> new SlotCounters());
      pool.counters().forEach(totals::addTotals);
    } else {
      closedTotals.remove(id);
    }
  }

  private Stream<NodeChannelPool> clients() {
    return Stream.concat(nodes.values().stream(), others.stream());
  }

  /** Returns the counters. */
  public synchronized TransportStats stats() {
    Map<String, List<NodeChannelPool>> byId =
        clients().collect(Collectors.groupingBy(NodeChannelPool::statsId));
    List<TransportStats.Node> rows = new ArrayList<>();
    byId.forEach((id, open) -> rows.add(NodeChannelPool.stats(open, closedTotals.get(id))));
    return new TransportStats(
        rows, heldFrames.frames(), heldFrames.bytes(), unsentBytes.heldBytes());
  }

  /** Returns the event loops of the channels. */
  public EventLoops loops() {
    return loops;
  }

  /** Closes every channel; calls in flight fail. */
  @Override
  public synchronized void close() {
    closed = true;
    others.addAll(nodes.values());
    nodes.clear();
    others.forEach(NodeChannelPool::closeNow);
    for (LoopContext context : contexts) {
      if (!context.loop.isShuttingDown()) {
        context.loop.execute(context::close);
      }
    }
  }
}
