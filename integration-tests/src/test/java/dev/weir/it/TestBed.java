package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.Gateway;
import dev.weir.gateway.stats.InFlightWork;
import dev.weir.it.faults.Await;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.fixtures.TestPolicies;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * A gateway in this JVM in front of real nodes. Closing it asserts that nothing is left: no request
 * in flight, no memory held, no client connection open, no leaked buffer.
 */
public final class TestBed implements AutoCloseable {
  private static final Duration READY = Duration.ofMinutes(2);

  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  static {
    ByteBufUtil.setLeakListener((type, records) -> LEAKS.add(type + ": " + records));
  }

  private final Gateway gateway;
  private final RestClient rest;
  private final RestClient admin;

  private TestBed(Gateway gateway) {
    this.gateway = gateway;
    this.rest = new RestClient(uri(gateway.restAddress()));
    this.admin = new RestClient(uri(gateway.adminAddress()));
  }

  /** Starts a gateway on free ports and waits until it is ready. */
  public static TestBed inFrontOf(List<String> seeds) {
    return ready(startWithoutWaiting(seeds, ""));
  }

  /**
   * Starts a gateway on free ports and waits until it is ready.
   *
   * @param http further keys of its {@code http} section, in one line
   */
  public static TestBed inFrontOf(List<String> seeds, String http) {
    return ready(start(seeds, http, ""));
  }

  /**
   * Starts a gateway on free ports and waits until it is ready.
   *
   * @param more further sections of its configuration
   */
  public static TestBed withSections(List<String> seeds, String more) {
    return withSections(seeds, "", more);
  }

  /**
   * Starts a gateway on free ports and waits until it is ready.
   *
   * @param http further keys of its {@code http} section, in one line
   * @param more further sections of its configuration
   */
  public static TestBed withSections(List<String> seeds, String http, String more) {
    return ready(start(seeds, http, more));
  }

  private static TestBed ready(TestBed bed) {
    try {
      assertThat(bed.gateway.awaitReady(READY)).as("ready within " + READY).isTrue();
      return bed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /**
   * Starts a gateway on free ports without waiting.
   *
   * @param more further sections of its configuration
   */
  public static TestBed startWithoutWaiting(List<String> seeds, String more) {
    return start(seeds, "", more);
  }

  /** Starts a gateway with a complete configuration and waits until it is ready. */
  public static TestBed startWithConfig(String yaml) {
    return ready(started(yaml));
  }

  /** Starts a gateway with a complete configuration without waiting. */
  public static TestBed startWithConfigWithoutWaiting(String yaml) {
    return started(yaml);
  }

  private static TestBed start(List<String> seeds, String http, String more) {
    String quoted = seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    String yaml =
        """
        clusters:
          main:
            seeds: [%s]
            plugins-without-filters: [dev.weir.testkit.node.FaultPlugin, dev.weir.testkit.node.UnknownPlugin]
        http:
          listen: 127.0.0.1:0
          compression: {min-body-bytes: 0b}
          %s
        admin:
          listen: 127.0.0.1:0
        %s
        """
            .formatted(quoted, http, more);
    return started(yaml);
  }

  private static TestBed started(String yaml) {
    try {
      return new TestBed(Gateway.start(policy(yaml), Registries.SHARED));
    } catch (IOException e) {
      throw new UncheckedIOException("can't start the gateway", e);
    }
  }

  private static GatewayPolicy policy(String yaml) {
    return TestPolicies.parse(yaml);
  }

  /** OpenSearch's registries, whose creation takes a second. */
  public static OpenSearchRegistries registries() {
    return Registries.SHARED;
  }

  public Gateway gateway() {
    return gateway;
  }

  /** Returns its REST endpoint. */
  public URI uri() {
    return rest.base();
  }

  /** Returns a client of its REST endpoint. */
  public RestClient rest() {
    return rest;
  }

  /** Returns a client of its admin endpoint. */
  public RestClient admin() {
    return admin;
  }

  /** Waits until nothing is in flight; fails after a timeout. */
  public void assertNothingHeld() {
    Await.untilValue("nothing under way at rest", gateway::inFlightWork, InFlightWork::isIdle);
  }

  private void assertNobodyConnected() {
    Await.untilValue(
        "no client connections without a client", gateway::clientConnections, open -> open == 0);
  }

  @Override
  public void close() {
    rest.close();
    admin.close();
    try {
      assertNothingHeld();
      assertNobodyConnected();
    } finally {
      gateway.close();
    }
    assertThat(LEAKS).as("buffers that were forgotten").isEmpty();
  }

  private static URI uri(InetSocketAddress address) {
    return URI.create("http://127.0.0.1:" + address.getPort());
  }

  private static final class Registries {
    static final OpenSearchRegistries SHARED = OpenSearchRegistries.create();
  }
}
