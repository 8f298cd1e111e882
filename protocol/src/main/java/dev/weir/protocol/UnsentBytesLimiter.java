package dev.weir.protocol;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of frames that wait for their sockets, over many channels: those to one
 * cluster's nodes, within a bound for those to all clusters'. Safe on any thread.
 */
final class UnsentBytesLimiter {
  private final String scope;
  private final long maxBytes;
  private final @Nullable UnsentBytesLimiter parent;
  private final AtomicLong heldBytes = new AtomicLong();

  private UnsentBytesLimiter(String scope, long maxBytes, @Nullable UnsentBytesLimiter all) {
    this.scope = scope;
    this.maxBytes = maxBytes;
    this.parent = all;
  }

  /** A bound for all clusters. */
  UnsentBytesLimiter(long most) {
    this("all nodes", most, null);
  }

  /** A bound for one of them: what is taken of it is taken of this one, too. */
  UnsentBytesLimiter forCluster(long mostOfIt) {
    return new UnsentBytesLimiter("the cluster's nodes", mostOfIt, this);
  }

  /**
   * Takes a frame's bytes.
   *
   * @return null; or the bound that has no room for them, and nothing is taken then
   */
  @Nullable UnsentBytesLimiter reserve(int bytes) {
    UnsentBytesLimiter full = this;
    if (heldBytes.addAndGet(bytes) <= maxBytes) {
      full = parent == null ? null : parent.reserve(bytes);
    }
    if (full != null) {
      heldBytes.addAndGet(-bytes);
    }
    return full;
  }

  void release(int bytes) {
    heldBytes.addAndGet(-bytes);
    if (parent != null) {
      parent.release(bytes);
    }
  }

  /** Bytes that wait now; zero at rest. */
  long heldBytes() {
    return heldBytes.get();
  }

  /** The most that may wait. */
  long maxBytes() {
    return maxBytes;
  }

  /** What the nodes are called that they wait for. */
  String scope() {
    return scope;
  }
}
