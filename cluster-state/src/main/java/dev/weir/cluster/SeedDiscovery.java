package dev.weir.cluster;

import dev.weir.protocol.SeedClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects to many addresses at once and visits the nodes in the order in which they answer. Closes
 * every connection that it opened. Blocks; for virtual threads.
 */
final class SeedDiscovery {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final NodeConnector access;
  private final LongSupplier nanoTime;

  SeedDiscovery(NodeConnector access, LongSupplier nanoTime) {
    this.access = access;
    this.nanoTime = nanoTime;
  }

  /** Visits a node that answered. */
  @FunctionalInterface
  interface Visitor {
    /** Returns whether this node ends the discovery. */
    boolean visit(InetSocketAddress address, SeedClient node) throws InterruptedException;
  }

  /**
   * The result of a discovery.
   *
   * @param found whether the visitor accepted a node
   * @param failures the failed addresses with the reasons
   */
  record Result(boolean found, Map<InetSocketAddress, String> failures) {}

  private record ConnectResult(
      InetSocketAddress address, @Nullable SeedClient node, @Nullable Throwable failure) {}

  /** Connects to all addresses until the visitor accepts a node. */
  Result tryAll(Collection<InetSocketAddress> addresses, Visitor visitor)
      throws InterruptedException {
    LinkedBlockingQueue<ConnectResult> reached = new LinkedBlockingQueue<>();
    Set<InetSocketAddress> all = new LinkedHashSet<>(addresses);
    for (InetSocketAddress address : all) {
      access
          .connectSeed(address)
          .whenComplete((node, failure) -> reached.add(new ConnectResult(address, node, failure)));
    }
    Map<InetSocketAddress, String> failures = new LinkedHashMap<>();
    int left = all.size();
    try {
      long deadline = nanoTime.getAsLong() + TIMEOUT.toNanos();
      while (left > 0) {
        ConnectResult next = reached.poll(deadline - nanoTime.getAsLong(), TimeUnit.NANOSECONDS);
        if (next == null) {
          break;
        }
        left--;
        SeedClient node = next.node();
        if (node == null) {
          failures.put(next.address(), describe(next.failure()));
          continue;
        }
        try (node) {
          if (visitor.visit(next.address(), node)) {
            return new Result(true, failures);
          }
        }
      }
      return new Result(false, failures);
    } finally {
      closeLate(reached, left);
    }
  }

  /** Closes connections that complete after the discovery has ended. */
  private static void closeLate(LinkedBlockingQueue<ConnectResult> reached, int left) {
    if (left > 0) {
      Thread.ofVirtual()
          .name("weir-seed-closer")
          .start(() -> {
            try {
              for (int more = left; more > 0; more--) {
                SeedClient node = reached.take().node();
                if (node != null) {
                  node.close();
                }
              }
            } catch (InterruptedException ended) {
              Thread.currentThread().interrupt();
            }
          });
    }
  }

  private static String describe(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause == null ? "no reason given" : String.valueOf(cause.getMessage());
  }
}
