package dev.weir.bench.restart;

import dev.weir.bench.Workload;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that writes bulks of documents with ids, and remembers those that are acknowledged: its
 * thread does, for others to read when it has ended.
 */
final class SteadyWriter implements AutoCloseable {
  private static final int ITEMS = 10;
  private static final int ROUNDS_OF_A_COUNT = 10_000;
  private static final long PAUSE_NANOS = 50_000_000;

  private final RestClient rest;
  private final Thread thread;
  private volatile boolean stopped;
  private final List<Integer> acknowledged = new ArrayList<>();
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
        lines.append("\"}}\n{\"round\":").append(round).append("}\n");
      }
      try {
        RestReply reply =
            rest.bulk(
                "/" + Workload.WRITE_INDEX + "/_bulk",
                lines.toString().getBytes(StandardCharsets.UTF_8));
        if (reply.status() == 200 && reply.body().contains("\"errors\":false")) {
          acknowledged.add(round);
        } else {
          failed.increment();
        }
      } catch (UncheckedIOException e) {
        failed.increment();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Stops it. Returns how many documents of acknowledged bulks the index lacks. */
  long stopAndCountLost() throws InterruptedException {
    stopped = true;
    thread.join();
    rest.send("POST", "/" + Workload.WRITE_INDEX + "/_refresh").orThrow();
    long lost = 0;
    for (int from = 0; from < acknowledged.size(); from += ROUNDS_OF_A_COUNT) {
      List<Integer> rounds =
          acknowledged.subList(from, Math.min(from + ROUNDS_OF_A_COUNT, acknowledged.size()));
      lost += (long) rounds.size() * ITEMS - count(rounds);
    }
    return lost;
  }

  private long count(List<Integer> rounds) {
    String body =
        rest.send(
                "POST",
                "/" + Workload.WRITE_INDEX + "/_count",
                "{\"query\":{\"terms\":{\"round\":" + rounds + "}}}")
            .orThrow()
            .body();
    return Long.parseLong(body.replaceAll("(?s).*?\"count\":(\\d+).*", "$1"));
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
