package dev.weir.bench.secured;

import dev.weir.bench.ProcessUsage;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * A closed loop of requests with credentials, and the CPU time of the process that serves them.
 *
 * @param name what the table calls it
 * @param path with parameters
 * @param body from the number of the request
 */
record AuthenticatedLoad(String name, String path, LongFunction<String> body) {
  private static final long NANOS = 1_000_000_000;

  /**
   * What serves the requests.
   *
   * @param name what the table calls it
   * @param pid its process
   * @param access who the client is
   */
  record Server(String name, URI uri, long pid, RestAccess access) {}

  /**
   * What a round took.
   *
   * @param failed requests with another status than 200
   */
  record Result(long requests, long failed, long cpuNanos) {
    Result plus(Result other) {
      return new Result(
          requests + other.requests, failed + other.failed, cpuNanos + other.cpuNanos);
    }

    /** Returns microseconds of CPU time for each request. */
    double cpuMicros() {
      return cpuNanos / 1e3 / requests;
    }
  }

  /** Runs the loop. Blocks for the time given. */
  Result run(Server server, int clients, double seconds) {
    AtomicLong requests = new AtomicLong();
    AtomicLong failed = new AtomicLong();
    try (RestClient client = new RestClient(server.uri(), server.access());
        ExecutorService threads = Executors.newFixedThreadPool(clients)) {
      long began = ProcessUsage.read(server.pid()).cpuNanos();
      long end = System.nanoTime() + (long) (seconds * NANOS);
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  while (System.nanoTime() - end < 0) {
                    RestReply reply =
                        client.send("POST", path, body.apply(requests.incrementAndGet()));
                    if (reply.status() != 200) {
                      failed.incrementAndGet();
                    }
                  }
                },
                threads));
      }
      running.forEach(CompletableFuture::join);
      long used = ProcessUsage.read(server.pid()).cpuNanos() - began;
      return new Result(requests.get(), failed.get(), used);
    }
  }
}
