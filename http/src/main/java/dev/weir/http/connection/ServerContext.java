package dev.weir.http.connection;

import dev.weir.http.body.BodyBudget;
import dev.weir.http.body.BoundedBodyBudget;
import dev.weir.http.body.PendingBodyTracker;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.model.BoundedCounter;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** State shared by all connections of a server. Safe on any thread. */
public final class ServerContext {
  /** Bytes that clients have announced and not sent may take this part of the memory of bodies. */
  private static final int PENDING_DIVISOR = 2;

  /** A client that reads faster than this keeps its response when others need the memory. */
  private static final long MAX_EVICTED_BYTES_PER_SECOND = 1 << 20;

  /** Bodies that are gathered before they pass through may take this part of the memory. */
  private static final int GATHERED_DIVISOR = 4;

  /** The smallest HTTP/2 window, in bytes: the protocol's default. */
  private static final int MIN_WINDOW = 65_535;

  /** Bytes that HTTP/2 streams have not read may take this part of the memory of bodies. */
  private static final int UNREAD_DIVISOR = 4;

  private final HttpOptions options;
  private final LongSupplier nanoClock;
  private final ExchangeFactory exchanges;
  private final long checkIntervalMillis;
  private final PendingBodyTracker pendingBodies;
  private final BoundedBodyBudget unreadStreams;
  private final BoundedBodyBudget gatheredBodies;
  private final HeldResponses heldResponses = new HeldResponses();
  private final long maxHeldByClient;
  private final NetworkUsage gatheredByClient = new NetworkUsage();
  private final ConnectionCounts counts = new ConnectionCounts();
  private final BoundedCounter openConnections = new BoundedCounter();
  private final NetworkUsage byClient = new NetworkUsage();
  private final ConcurrentHashMap<EventLoop, EventLoopConnections> eventLoops =
      new ConcurrentHashMap<>();
  private Predicate<EventLoop> moveAway = loop -> false;
  private volatile boolean isDraining;

  /**
   * Creates the context of a server without connections.
   *
   * @param bodies the memory of all bodies
   */
  public ServerContext(
      HttpOptions options, BodyBudget bodies, LongSupplier nanoClock, ExchangeFactory exchanges) {
    this.options = options;
    this.nanoClock = nanoClock;
    this.exchanges = exchanges;
    this.pendingBodies = new PendingBodyTracker(bodies.limit() / PENDING_DIVISOR);
    this.gatheredBodies = new BoundedBodyBudget(bodies, bodies.limit() / GATHERED_DIVISOR);
    this.unreadStreams = new BoundedBodyBudget(bodies, bodies.limit() / UNREAD_DIVISOR);
    this.maxHeldByClient = options.clients().shareOf(options.clients().maxHeldResponseBytes());
    HttpTimeouts timeouts = options.timeouts();
    long shortest =
        Math.min(
            Math.min(timeouts.headers().toMillis(), timeouts.body().toMillis()),
            Math.min(timeouts.write().toMillis(), timeouts.idle().toMillis()));
    this.checkIntervalMillis = Math.clamp(shortest / 4, 20, Duration.ofSeconds(1).toMillis());
  }

  public HttpOptions options() {
    return options;
  }

  public LongSupplier nanoClock() {
    return nanoClock;
  }

  ConnectionExchange newExchange(
      ClientConnection connection, HttpRequest request, long startedNanos) {
    return exchanges.newExchange(connection, request, startedNanos);
  }

  PendingBodyTracker pendingBodies() {
    return pendingBodies;
  }

  /**
   * Returns the flow-control window of one HTTP/2 stream: the bytes of a body that a client may
   * send before the gateway has read them. Small where there is little memory for bodies.
   */
  public int streamWindowBytes() {
    return Math.clamp(unreadStreams.limit() / 16, MIN_WINDOW, 256 << 10);
  }

  /** Returns the flow-control window of one HTTP/2 connection. */
  public int sessionWindowBytes() {
    return Math.clamp(unreadStreams.limit() / 4, MIN_WINDOW, 1 << 20);
  }

  /** Returns the memory of what HTTP/2 streams have received and not read. */
  public BodyBudget unreadStreams() {
    return unreadStreams;
  }

  HeldResponses heldResponses() {
    return heldResponses;
  }

  /** Closes the slowest reader of each event loop: others need the memory of its response. */
  public void evictSlowReaders() {
    for (EventLoopConnections loop : eventLoops.values()) {
      loop.eventLoop().execute(() -> evictSlowestReader(loop, _ -> true));
    }
  }

  /**
   * Closes the slowest reader of an event loop among those whose clients hold more than their share
   * of the memory for responses. Call on that event loop; several loops may each close one at once.
   */
  private void evictGreedyReader(EventLoopConnections loop) {
    evictSlowestReader(loop, client -> heldResponses.isMoreHeldBy(client, maxHeldByClient));
  }

  private void evictSlowestReader(EventLoopConnections loop, Predicate<ClientNetwork> candidates) {
    if (loop.closeSlowestReader(
        candidates, heldResponses::isMostHeldBy, MAX_EVICTED_BYTES_PER_SECOND)) {
      counts.increment(ConnectionCounts.Reason.EVICTED_READER);
    }
  }

  /** Returns a client's share of the memory for bodies that are gathered. */
  BodyBudget gatheredBodies(ClientNetwork client) {
    return new ClientShareBudget(
        gatheredBodies,
        gatheredByClient,
        client,
        options.clients().shareOf(gatheredBodies.limit()));
  }

  public ConnectionCounts counts() {
    return counts;
  }

  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  /**
   * Counts a new connection. Above the limit, an idle connection of the same event loop gives way:
   * one of a client with at least as many connections as the new one's. Above the client's share,
   * one of its own does. Call on that event loop.
   *
   * @param isFromProxy whether a trusted proxy will name the client: the proxy has no share
   * @return why the new connection is refused, as none gives way; null when it is counted
   */
  public ConnectionCounts.@Nullable Reason tryRegister(
      EventLoopConnections loop, ClientNetwork client, boolean isFromProxy) {
    int max = options.limits().maxConnections();
    if (isFromProxy) {
      byClient.add(client, 1);
    } else if (!tryAddToShare(loop, client)) {
      return ConnectionCounts.Reason.ADDRESS_SHARE;
    }
    if (openConnections.tryAdd(1, max)) {
      return null;
    }
    long own = byClient.of(client) - 1;
    if (!closeIdleOfLargerClient(loop, own)) {
      byClient.subtract(client, 1);
      counts.increment(ConnectionCounts.Reason.FULL);
      closeIdleElsewhere(loop, own);
      return ConnectionCounts.Reason.FULL;
    }
    openConnections.add(1);
    return null;
  }

  private boolean tryAddToShare(EventLoopConnections loop, ClientNetwork client) {
    long share = options.clients().shareOf(options.limits().maxConnections());
    if (!byClient.tryAdd(client, 1, share)) {
      if (!closeIdleOf(loop, client)) {
        counts.increment(ConnectionCounts.Reason.ADDRESS_SHARE);
        return false;
      }
      byClient.add(client, 1); // the closed one is subtracted when its channel is closed
    }
    return true;
  }

  /**
   * Counts a connection under the client that its proxy names, from then on. Call on its event
   * loop.
   *
   * @return false when the client has its share of connections; this one is refused
   */
  public boolean tryName(Channel connection, InetSocketAddress address) {
    ClientNetwork before = ClientPeer.networkOf(connection);
    if (!tryAddToShare(connectionsOf(connection.eventLoop()), ClientNetwork.of(address))) {
      return false;
    }
    byClient.subtract(before, 1);
    ClientPeer.setAddress(connection, address);
    return true;
  }

  private boolean closeIdleOf(EventLoopConnections loop, ClientNetwork client) {
    FruitlessSearches fruitless = loop.fruitlessSearches();
    long now = nanoTime();
    if (fruitless.contains(client, now)) {
      return false;
    }
    boolean closed = closeIdle(loop, client::equals);
    if (!closed) {
      fruitless.add(client, now);
    }
    return closed;
  }

  /** Closes an idle connection of a client that has at least so many connections. */
  private boolean closeIdleOfLargerClient(EventLoopConnections loop, long connections) {
    FruitlessSearches fruitless = loop.fruitlessSearches();
    long now = nanoTime();
    if (fruitless.contains(connections, now)) {
      return false;
    }
    boolean closed = closeIdle(loop, other -> byClient.of(other) >= connections);
    if (!closed) {
      fruitless.add(connections, now);
    }
    return closed;
  }

  private boolean closeIdle(EventLoopConnections loop, Predicate<ClientNetwork> candidates) {
    if (loop.closeOldestWithoutRequest(candidates)) {
      counts.increment(ConnectionCounts.Reason.NO_REQUEST);
      return true;
    }
    if (loop.closeLongestIdle(candidates)) {
      counts.increment(ConnectionCounts.Reason.IDLE);
      return true;
    }
    return false;
  }

  /** Makes room for the client's next attempt on another event loop. */
  private void closeIdleElsewhere(EventLoopConnections own, long connections) {
    for (EventLoopConnections other : eventLoops.values()) {
      if (!other.eventLoop().equals(own.eventLoop()) && other.requestSearch(connections)) {
        other.eventLoop().execute(() -> closeRequested(other));
      }
    }
  }

  private void closeRequested(EventLoopConnections loop) {
    long connections = loop.takeRequestedSearch();
    if (openConnections.get() >= options.limits().maxConnections()) {
      closeIdleOfLargerClient(loop, connections);
    }
  }

  public void unregister(ClientNetwork client) {
    openConnections.subtract(1);
    byClient.subtract(client, 1);
  }

  /** Returns the number of open connections. */
  public int openConnections() {
    return Math.toIntExact(openConnections.get());
  }

  /**
   * Sets which connections move to another event loop: their clients are asked to open others.
   * Called once, before there are connections.
   */
  public void setMoveAway(Predicate<EventLoop> connections) {
    moveAway = connections;
  }

  /**
   * Returns whether a connection of this loop should make its client open another one; true for few
   * connections at a time.
   */
  public boolean tryMoveAway(EventLoop loop) {
    return moveAway.test(loop);
  }

  public boolean isDraining() {
    return isDraining;
  }

  public void startDraining() {
    isDraining = true;
  }

  /** Ends a drain: connections that are open or opened from now on stay open. */
  public void stopDraining() {
    isDraining = false;
  }

  public EventLoopConnections connectionsOf(EventLoop loop) {
    EventLoopConnections known = eventLoops.get(loop);
    return known != null
        ? known
        : eventLoops.computeIfAbsent(
            loop,
            l ->
                new EventLoopConnections(
                    l, nanoClock, checkIntervalMillis, this::evictGreedyReader));
  }

  public Collection<EventLoopConnections> eventLoops() {
    return eventLoops.values();
  }
}
