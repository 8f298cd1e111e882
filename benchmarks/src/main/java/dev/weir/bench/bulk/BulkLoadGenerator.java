package dev.weir.bench.bulk;

import dev.weir.bench.BlockingHttpConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Sends bulks in a closed loop: each client has one bulk in flight. */
final class BulkLoadGenerator {
  private static final int MAX_SHOWN_ERRORS = 3;
  private static final long RECONNECT_NANOS = 100_000_000;

  /** Creates bulks by number, and receives their outcomes. */
  interface BulkSource {
    /** Returns a bulk request as sent on the wire. */
    byte[] request(long number);

    /** Called when a bulk got a response or its connection was lost. */
    void onResponse(long number, BulkResponseSummary reply);
  }

  /**
   * The clients' measurements of one run.
   *
   * @param bulks with a response
   * @param written documents
   * @param rejected documents with status 429
   * @param failed all other documents
   * @param nanos the length of the run
   * @param latencies of bulks, in microseconds
   */
  record Result(
      long bulks, long written, long rejected, long failed, long nanos, Histogram latencies) {}

  private final InetSocketAddress address;
  private final int documents;
  private final BulkSource bulks;
  private final AtomicInteger number = new AtomicInteger();
  private final AtomicInteger errorCount = new AtomicInteger();
  private final Queue<RuntimeException> unexpectedErrors = new ConcurrentLinkedQueue<>();
  private final Histogram latencies = new Histogram(3);
  private long written;
  private long rejected;
  private long failed;

  private BulkLoadGenerator(InetSocketAddress address, int documents, BulkSource bulks) {
    this.address = address;
    this.documents = documents;
    this.bulks = bulks;
  }

  /**
   * Sends bulks for a time.
   *
   * @param requests sent in turn
   * @param documents in each bulk
   */
  static Result run(
      InetSocketAddress address,
      List<byte[]> requests,
      int documents,
      int clients,
      double seconds) {
    BulkSource turns =
        new BulkSource() {
          @Override
          public byte[] request(long number) {
            return requests.get((int) (number % requests.size()));
          }

          @Override
          public void onResponse(long number, BulkResponseSummary reply) {}
        };
    return new BulkLoadGenerator(address, documents, turns).run(clients, seconds, 0);
  }

  /**
   * Sends bulks for a time.
   *
   * @param documents in each bulk
   * @param pauseSeconds of a client after each of its bulks
   */
  static Result run(
      InetSocketAddress address,
      BulkSource bulks,
      int documents,
      int clients,
      double seconds,
      double pauseSeconds) {
    return new BulkLoadGenerator(address, documents, bulks)
        .run(clients, seconds, (long) (pauseSeconds * 1e9));
  }

  private Result run(int clients, double seconds, long pauseNanos) {
    long begin = System.nanoTime();
    long end = begin + (long) (seconds * 1e9);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      threads.add(Thread.ofPlatform().name("client-" + i).start(() -> runClient(end, pauseNanos)));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
    if (!unexpectedErrors.isEmpty()) {
      throw new IllegalStateException("a client broke off at " + address, unexpectedErrors.peek());
    }
    long nanos = System.nanoTime() - begin;
    return new Result(latencies.getTotalCount(), written, rejected, failed, nanos, latencies);
  }

  private void runClient(long end, long pauseNanos) {
    try {
      writeUntil(end, pauseNanos);
    } catch (RuntimeException e) {
      unexpectedErrors.add(e);
    }
  }

  private void writeUntil(long end, long pauseNanos) {
    while (System.nanoTime() < end) {
      long[] current = {-1};
      try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(address)) {
        while (System.nanoTime() < end && !connection.shouldClose()) {
          current[0] = number.getAndIncrement();
          byte[] request = bulks.request(current[0]);
          long sent = System.nanoTime();
          int status = connection.exchange(request);
          long nanos = System.nanoTime() - sent;
          long answered = current[0];
          current[0] = -1;
          count(answered, BulkResponseSummary.parse(status, connection.body(), documents), nanos);
          if (pauseNanos > 0) {
            LockSupport.parkNanos(pauseNanos);
          }
        }
      } catch (IOException e) {
        if (current[0] >= 0) {
          count(current[0], BulkResponseSummary.failure(documents, e.toString()), 0);
        }
        LockSupport.parkNanos(RECONNECT_NANOS);
      }
    }
  }

  private void count(long bulk, BulkResponseSummary reply, long nanos) {
    synchronized (this) {
      if (nanos > 0) {
        latencies.recordValue(nanos / 1000);
      }
      written += reply.writtenCount();
      rejected += reply.rejectedCount();
      failed += reply.failedCount();
    }
    bulks.onResponse(bulk, reply);
    if (!reply.error().isEmpty() && errorCount.incrementAndGet() <= MAX_SHOWN_ERRORS) {
      System.out.println("a document was not written: " + reply.error());
    }
  }
}
