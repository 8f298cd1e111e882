package dev.weir.bench;

import dev.weir.testkit.RestClient;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Reads the counts of a gateway from its {@code /stats}. Confined to one thread. */
public final class GatewayCounts implements AutoCloseable {
  /** The messages to a node, in {@code /stats}. */
  private static final String SENT = "sent_requests";

  private static final long IDLE_MILLIS = 1000;

  private final RestClient admin;

  /** Connects to the admin endpoint. */
  public GatewayCounts(MeasuredGateway gateway) {
    admin = new RestClient(URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort()));
  }

  /** Sends load to the gateway for some seconds. */
  @FunctionalInterface
  public interface Load {
    /** Runs the load; blocks until it has ended. */
    void run();
  }

  /** Returns the whole of {@code /stats}. */
  public String stats() {
    return admin.send("GET", "/stats").orThrow().body();
  }

  /** Returns the sum of all counts with a name; 0 without any. */
  public long sum(String name) {
    return sum(stats(), name);
  }

  /** Returns the sum of all counts with a name in a JSON text; 0 without any. */
  static long sum(String json, String name) {
    return Pattern.compile('"' + Pattern.quote(name) + "\"\\s*:\\s*(\\d+)")
        .matcher(json)
        .results()
        .mapToLong(result -> Long.parseLong(result.group(1)))
        .sum();
  }

  /**
   * Runs a load, and returns how many messages the gateway sent to nodes for it. The messages that
   * it sends anyway are counted for a second before, and do not count. Blocks.
   */
  public double messagesOf(Load load) {
    double idle = idleMessagesPerSecond();
    long before = sum(SENT);
    long began = System.nanoTime();
    load.run();
    double seconds = (System.nanoTime() - began) / 1e9;
    return sum(SENT) - before - idle * seconds;
  }

  private double idleMessagesPerSecond() {
    long before = sum(SENT);
    long began = System.nanoTime();
    try {
      TimeUnit.MILLISECONDS.sleep(IDLE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    return (sum(SENT) - before) * 1e9 / (System.nanoTime() - began);
  }

  @Override
  public void close() {
    admin.close();
  }
}
