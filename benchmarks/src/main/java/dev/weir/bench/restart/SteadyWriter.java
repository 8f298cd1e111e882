package dev.weir.bench.restart;

import dev.weir.bench.Workload;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** A client that writes bulks of documents with ids, and counts those that are acknowledged. */
final class SteadyWriter implements AutoCloseable {
  private static final int ITEMS = 10;
  private static final long PAUSE_NANOS = 50_000_000;

  private final RestClient rest;
  private final Thread thread;
  private volatile boolean stopped;
  private final LongAdder acknowledged = new LongAdder();
  private final LongAdder failed = new LongAdder();

  SteadyWriter(InetSocketAddress gateway) {
    this.rest = new RestClient(URI.create("http://127.0.0.1:" + gateway.getPort()));
    this.thread = Thread.ofPlatform().name("writer").daemon().start(this::write);
  }

  private void write() {
    for (int round = 0; !stopped; round++) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < ITEMS; i++) {
        lines.append("{\"index\":{\"_id\":\"").append(round).append('-').append(i);
        lines.append("\"}}\n{\"n\":1}\n");
      }
      try {
        RestReply reply =
            rest.bulk(
                "/" + Workload.WRITE_INDEX + "/_bulk",
                lines.toString().getBytes(StandardCharsets.UTF_8));
        if (reply.status() == 200 && reply.body().contains("\"errors\":false")) {
          acknowledged.add(ITEMS);
        } else {
          failed.increment();
        }
      } catch (UncheckedIOException e) {
        failed.increment();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Stops it. Returns how many acknowledged documents the index lacks. */
  long stopAndCountLost() throws InterruptedException {
    stopped = true;
    thread.join();
    rest.send("POST", "/" + Workload.WRITE_INDEX + "/_refresh").orThrow();
    String body = rest.send("GET", "/" + Workload.WRITE_INDEX + "/_count").orThrow().body();
    long found = Long.parseLong(body.replaceAll("(?s).*?\"count\":(\\d+).*", "$1"));
    return Math.max(0, acknowledged.sum() - found);
  }

  long failed() {
    return failed.sum();
  }

  @Override
  public void close() {
    stopped = true;
    rest.close();
  }
}
