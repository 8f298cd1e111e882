package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.action.support.TransportActions;

/**
 * The indices of which a node lacked a copy that the view has there. Their shards may have moved
 * since, so they are read before all others. Safe on any thread; never blocks.
 */
final class MissingCopyReports {
  private static final int MAX_INDICES = 64;

  /** A copy that a node keeps failing must not make the gateway poll without a pause. */
  private static final long MIN_INTERVAL_NANOS = Duration.ofMillis(100).toNanos();

  private final Set<String> indices = ConcurrentHashMap.newKeySet();
  private final LongSupplier nanoTime;
  private final AtomicLong nextNanos;

  MissingCopyReports(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.nextNanos = new AtomicLong(nanoTime.getAsLong());
  }

  /** Takes a failure of a request; returns whether the next poll should begin at once. */
  boolean add(Exception failure) {
    if (!(failure instanceof NodeCallException call)
        || call.kind() != NodeCallException.Kind.REMOTE
        || !(ExceptionsHelper.unwrapCause(call.exception()) instanceof OpenSearchException remote)
        || remote.getIndex() == null
        || !TransportActions.isShardNotAvailableException(remote)) {
      return false;
    }
    String index = remote.getIndex().getName();
    if (indices.size() < MAX_INDICES) {
      indices.add(index);
    }
    long next = nextNanos.get();
    long now = nanoTime.getAsLong();
    return now - next >= 0 && nextNanos.compareAndSet(next, now + MIN_INTERVAL_NANOS);
  }

  /** Removes and returns all indices. */
  List<String> takeAll() {
    List<String> taken = new ArrayList<>();
    indices.removeIf(taken::add);
    return taken;
  }
}
