package dev.weir.protocol.outbound;

import dev.weir.model.BoundedCounter;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of frames that wait for their sockets, over the channels to one cluster's nodes
 * and, in total, over those to all clusters. Safe on any thread.
 */
public final class UnsentBytesLimiter {
  private final String scope;
  private final long maxBytes;
  private final @Nullable UnsentBytesLimiter parent;
  private final BoundedCounter heldBytes = new BoundedCounter();

  private UnsentBytesLimiter(String scope, long maxBytes, @Nullable UnsentBytesLimiter all) {
    this.scope = scope;
    this.maxBytes = maxBytes;
    this.parent = all;
  }

  /** Creates the bound for all clusters. */
  public UnsentBytesLimiter(long maxBytes) {
    this("all nodes", maxBytes, null);
  }

  /** Creates the bound for one cluster; its bytes also count against this one. */
  public UnsentBytesLimiter forCluster(long maxBytesOfCluster) {
    return new UnsentBytesLimiter("the cluster's nodes", maxBytesOfCluster, this);
  }

  /**
   * Reserves a frame's bytes.
   *
   * @return null after a successful reservation; otherwise the bound that is reached, with nothing
   *     reserved
   */
  public @Nullable UnsentBytesLimiter reserve(int bytes) {
    if (!heldBytes.tryAdd(bytes, maxBytes)) {
      return this;
    }
    UnsentBytesLimiter full = parent == null ? null : parent.reserve(bytes);
    if (full != null) {
      heldBytes.subtract(bytes);
    }
    return full;
  }

  /** Releases a frame's bytes after its write or its failure. */
  public void release(int bytes) {
    heldBytes.subtract(bytes);
    if (parent != null) {
      parent.release(bytes);
    }
  }

  /** Returns the bytes that wait now; zero when idle. */
  public long heldBytes() {
    return heldBytes.get();
  }

  /** Returns the bound. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Returns the name of the nodes that the bound covers. */
  public String scope() {
    return scope;
  }
}
