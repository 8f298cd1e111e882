package dev.weir.protocol;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of frames that wait for their sockets, over many channels: those to one
 * cluster's nodes, within a bound for those to all clusters'. Safe on any thread.
 */
final class UnsentBytes {
  private final String whose;
  private final long most;
  private final @Nullable UnsentBytes all;
  private final AtomicLong held = new AtomicLong();

  private UnsentBytes(String whose, long most, @Nullable UnsentBytes all) {
    this.whose = whose;
    this.most = most;
    this.all = all;
  }

  /** A bound for all clusters. */
  UnsentBytes(long most) {
    this("all nodes", most, null);
  }

  /** A bound for one of them: what is taken of it is taken of this one, too. */
  UnsentBytes ofOneCluster(long mostOfIt) {
    return new UnsentBytes("the cluster's nodes", mostOfIt, this);
  }

  /**
   * Takes a frame's bytes.
   *
   * @return null; or the bound that has no room for them, and nothing is taken then
   */
  @Nullable UnsentBytes take(int bytes) {
    UnsentBytes full = this;
    if (held.addAndGet(bytes) <= most) {
      full = all == null ? null : all.take(bytes);
    }
    if (full != null) {
      held.addAndGet(-bytes);
    }
    return full;
  }

  void giveBack(int bytes) {
    held.addAndGet(-bytes);
    if (all != null) {
      all.giveBack(bytes);
    }
  }

  /** Bytes that wait now; zero at rest. */
  long held() {
    return held.get();
  }

  /** The most that may wait. */
  long most() {
    return most;
  }

  /** What the nodes are called that they wait for. */
  String whose() {
    return whose;
  }
}
