package dev.weir.gateway.advice;

import dev.weir.advice.Advice;
import dev.weir.advice.AdviceWriter;
import dev.weir.advice.Advisor;
import dev.weir.advice.CommandFormatter;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.SnapshotReader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.gateway.stats.AdminErrors;
import dev.weir.gateway.stats.StatsReporters;
import dev.weir.model.HttpStatus;
import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The page {@code /advise}: advice on a cluster, asked of one of its nodes and of this gateway.
 * Safe on any thread that may block. Pages run on virtual threads, never on an event loop; one
 * reads a cluster at a time, the others wait for it, and its result serves for five seconds.
 */
public final class AdvicePage {
  private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int UNAVAILABLE = 503;

  private final Map<String, AdvisedClusterAccess> clusters;
  private final AdviceCredentials credentials;
  private final Supplier<String> endpoint;
  private final LongSupplier nanoClock;
  private final Duration maxDuration;
  private final CapturedPages ownPages = new CapturedPages();
  private final ReentrantLock reading = new ReentrantLock();
  private final Map<String, Result> newest = new HashMap<>();

  private record Result(long nanos, AdminResponse response) {}

  /**
   * Reads nothing yet.
   *
   * @param clusters by name, in the order of the configuration
   * @param credentials who asks a secured cluster
   * @param reporters add the pages that tell the traffic
   * @param endpoint the address of the gateway's REST port, for printed commands
   * @param nanoClock a monotonic clock
   */
  public AdvicePage(
      Map<String, AdvisedClusterAccess> clusters,
      AdviceCredentials credentials,
      StatsReporters reporters,
      Supplier<String> endpoint,
      LongSupplier nanoClock) {
    this(clusters, credentials, reporters, endpoint, nanoClock, AdminPage.MAX_DURATION);
  }

  /** Reads nothing yet; a page takes at most {@code maxDuration}. */
  AdvicePage(
      Map<String, AdvisedClusterAccess> clusters,
      AdviceCredentials credentials,
      StatsReporters reporters,
      Supplier<String> endpoint,
      LongSupplier nanoClock,
      Duration maxDuration) {
    this.clusters = Collections.unmodifiableMap(clusters);
    this.credentials = credentials;
    this.endpoint = endpoint;
    this.nanoClock = nanoClock;
    this.maxDuration = maxDuration;
    reporters.addPages(ownPages);
  }

  /** Shows the advice on the cluster that the query names, or on the first one. */
  public AdminResponse show(Map<String, String> query) {
    String name = query.getOrDefault("cluster", clusters.keySet().iterator().next());
    AdvisedClusterAccess cluster = clusters.get(name);
    if (cluster == null) {
      return AdminErrors.unknownCluster(name, clusters.keySet());
    }
    long endNanos = nanoClock.getAsLong() + maxDuration.toNanos();
    try {
      if (!reading.tryLock(maxDuration.toNanos(), TimeUnit.NANOSECONDS)) {
        return late(name, "other requests read clusters");
      }
    } catch (InterruptedException e) {
      return stopped();
    }
    try {
      Result known = newest.get(name);
      if (known == null || nanoClock.getAsLong() - known.nanos > MAX_AGE_NANOS) {
        AdminResponse response = read(name, cluster, endNanos);
        known = new Result(nanoClock.getAsLong(), response);
        newest.put(name, known);
      }
      return known.response;
    } finally {
      reading.unlock();
    }
  }

  private AdminResponse read(String name, AdvisedClusterAccess cluster, long endNanos) {
    try {
      Advice advice = Advisor.ofAllChecks().advise(snapshot(name, cluster, endNanos));
      String options = join(credentials.curlOption(), cluster.curlOptions());
      AdviceWriter writer = new AdviceWriter(new CommandFormatter(endpoint.get(), options));
      return AdminResponse.json(HttpStatus.OK, writer.toTree(advice));
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      return nanoClock.getAsLong() - endNanos < 0 ? unavailable(reason) : late(name, reason);
    } catch (InterruptedException e) {
      return stopped();
    }
  }

  private AdminResponse late(String cluster, String reason) {
    return unavailable(
        "cluster "
            + cluster
            + " was not read within "
            + maxDuration.toSeconds()
            + " s ("
            + reason
            + "): ask again, or run weir advise, which waits longer");
  }

  private static AdminResponse unavailable(String reason) {
    return AdminErrors.json(UNAVAILABLE, "cluster_unavailable_exception", reason);
  }

  private static AdminResponse stopped() {
    Thread.currentThread().interrupt();
    return AdminErrors.json(UNAVAILABLE, "interrupted_exception", "the gateway stops");
  }

  private static String join(String one, String other) {
    return one.isEmpty() || other.isEmpty() ? one + other : one + " " + other;
  }

  /** Asks the nodes one after the other, in a random order, until one can tell something. */
  private ClusterSnapshot snapshot(String name, AdvisedClusterAccess cluster, long endNanos)
      throws IOException, InterruptedException {
    List<InetSocketAddress> addresses = new ArrayList<>(cluster.restAddresses().get());
    Collections.shuffle(addresses);
    IOException failure = new IOException("no node of cluster " + name + " is known");
    for (InetSocketAddress address : addresses) {
      long leftNanos = endNanos - nanoClock.getAsLong();
      if (leftNanos <= 0) {
        break;
      }
      try (RestConnections connections = connections(cluster.tls())) {
        CompletableFuture.delayedExecutor(leftNanos, TimeUnit.NANOSECONDS)
            .execute(connections::close);
        RestTarget node =
            new RestTarget(connections, uri(address, cluster.tls()), credentials.headers());
        return new SnapshotReader(node::get, ownPages.of(name)).read();
      } catch (IOException e) {
        failure = e;
      }
    }
    throw failure;
  }

  private static URI uri(InetSocketAddress address, TlsClientPolicy tls) {
    HostPort node = new HostPort(address.getAddress().getHostAddress(), address.getPort());
    return URI.create((tls.enabled() ? "https://" : "http://") + node);
  }

  private static RestConnections connections(TlsClientPolicy tls) throws IOException {
    boolean namesAuthorities = tls.enabled() && !tls.caFile().isEmpty();
    try {
      return RestConnections.trusting(namesAuthorities ? Path.of(tls.caFile()) : null);
    } catch (CertificateException e) {
      throw new IOException("rest-tls.ca-file: " + e.getMessage(), e);
    }
  }
}
