package dev.weir.bench.soak;

import dev.weir.bench.BlockingHttpConnection;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients that each have at most one request in flight, of kinds in a mixed order, until the load
 * is closed. Safe on any thread.
 */
final class MixedLoad implements AutoCloseable {
  private static final int MAX_SHOWN = 10;
  private static final int SHOWN_CHARACTERS = 400;
  private static final int BEGINNING = 512;
  private static final int SUCCESSES_BELOW = 300;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final long RECONNECT_NANOS = 100_000_000;

  /** A client waits for this long after a refusal, as the gateway asks it to. */
  private static final long REFUSED_NANOS = 1_000_000_000;

  private final PrintStream out;
  private final InetSocketAddress address;
  private final List<Counted> kinds;
  private final List<Counted> order = new ArrayList<>();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong shown = new AtomicLong();
  private final List<Thread> clients = new ArrayList<>();
  private volatile long pauseNanos;
  private volatile boolean closed;

  private static final class Counted {
    final RequestKind kind;
    final AtomicLong sent = new AtomicLong();
    final LongAdder ended = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder failed = new LongAdder();

    Counted(RequestKind kind) {
      this.kind = kind;
    }
  }

  private MixedLoad(PrintStream out, InetSocketAddress address, List<RequestKind> kinds) {
    this.out = out;
    this.address = address;
    this.kinds = kinds.stream().map(Counted::new).toList();
    this.kinds.forEach(one -> order.addAll(Collections.nCopies(one.kind.share(), one)));
    Collections.shuffle(order, new Random(1));
  }

  /**
   * Starts the clients.
   *
   * @param out receives the first refusals and failures
   */
  static MixedLoad start(
      PrintStream out, InetSocketAddress address, List<RequestKind> kinds, int clients) {
    MixedLoad load = new MixedLoad(out, address, kinds);
    for (int i = 0; i < clients; i++) {
      load.clients.add(Thread.ofPlatform().name("client-" + i).start(load::runClient));
    }
    return load;
  }

  /** Returns the requests since the start. */
  RequestCounts counts() {
    return new RequestCounts(
        kinds.stream()
            .map(one ->
                new RequestCounts.Count(
                    one.kind.name(), one.ended.sum(), one.refused.sum(), one.failed.sum()))
            .toList());
  }

  /** Lets each client pause after each request from now on, for a random time with this mean. */
  void pauseFor(double meanSeconds) {
    pauseNanos = (long) (meanSeconds * 1e9);
  }

  private void runClient() {
    @Nullable BlockingHttpConnection connection = null;
    while (!closed) {
      Counted next = order.get((int) (sent.getAndIncrement() % order.size()));
      byte[] request = next.kind.request().apply(next.sent.getAndIncrement());
      try {
        if (next.kind.hasOwnConnection()) {
          try (BlockingHttpConnection own = new BlockingHttpConnection(address)) {
            exchange(own, next, request);
          }
        } else {
          if (connection == null) {
            connection = BlockingHttpConnection.withBodies(address);
          }
          exchange(connection, next, request);
          if (connection.shouldClose()) {
            connection.close();
            connection = null;
          }
        }
      } catch (IOException | RuntimeException e) {
        next.failed.increment();
        show("FAILED", next, "no complete response: " + e);
        close(connection);
        connection = null;
        LockSupport.parkNanos(RECONNECT_NANOS);
      }
      next.ended.increment();
      long pause = pauseNanos;
      if (pause > 0) {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2 * pause));
      }
    }
    close(connection);
  }

  private void exchange(BlockingHttpConnection connection, Counted of, byte[] request)
      throws IOException {
    int status = connection.exchange(request);
    String beginning = connection.body(BEGINNING);
    String answer = status + " " + (beginning.isEmpty() ? connection.error() : beginning);
    if (status == TOO_MANY_REQUESTS) {
      of.refused.increment();
      show("refused", of, answer);
      LockSupport.parkNanos(REFUSED_NANOS);
    } else if (status >= SUCCESSES_BELOW || !beginning.contains(of.kind.success())) {
      of.failed.increment();
      show("FAILED", of, answer);
    }
  }

  private void show(String what, Counted of, String answer) {
    if (shown.incrementAndGet() <= MAX_SHOWN) {
      out.printf(
          "%s: %s: %s%n",
          what, of.kind.name(), answer.substring(0, Math.min(SHOWN_CHARACTERS, answer.length())));
    }
  }

  private static void close(@Nullable BlockingHttpConnection connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (IOException e) {
      throw new IllegalStateException("a client can't close its socket", e);
    }
  }

  @Override
  public void close() {
    stop();
  }

  /** Ends the load, and waits for the requests in flight. */
  void stop() {
    closed = true;
    clients.forEach(LockSupport::unpark); // those that pause
    for (Thread client : clients) {
      try {
        client.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }
}
