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
 * Tries many addresses at once and gives the nodes that answer, first come first served. Closes
 * every connection that it made. Blocks; for virtual threads.
 */
final class SeedDiscovery {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final NodeConnector access;
  private final LongSupplier nanoTime;

  SeedDiscovery(NodeConnector access, LongSupplier nanoTime) {
    this.access = access;
    this.nanoTime = nanoTime;
  }

  /** Looks at a node that answered. */
  @FunctionalInterface
  interface Visitor {
    /** Whether this was the node that was looked for: the hunt ends. */
    boolean visit(InetSocketAddress address, SeedClient node) throws InterruptedException;
  }

  /**
   * What came of it.
   *
   * @param found whether the visitor found its node
   * @param failures why addresses did not answer
   */
  record Result(boolean found, Map<InetSocketAddress, String> failures) {}

  private record ConnectResult(
      InetSocketAddress address, @Nullable SeedClient node, @Nullable Throwable failure) {}

  /** Tries all addresses until the visitor is content. */
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

  /** Closes those that answer when nobody listens any more. */
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
