package dev.weir.gateway.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.cluster.SecurityPluginDetector;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.EventLoops;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects whether the nodes of a cluster ask for credentials, and puts the mode in force: from the
 * cluster state and the nodes' plugins when a view has them, and from probes of the REST ports,
 * which one virtual thread sends. It probes a node when the node has joined or restarted, every two
 * seconds until it answers, and once a minute afterwards. Safe on any thread.
 */
public final class SecurityDetector implements ClusterViewListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SecurityDetector.class);

  /** How long a gateway that has just found its cluster waits for the first answers. */
  private static final Duration MAX_SETTLE_TIME = Duration.ofSeconds(5);

  /** A probe has timeouts of its own, which are shorter. */
  private static final Duration MAX_PROBE_TIME = Duration.ofSeconds(20);

  private static final int MAX_PROBES_AT_ONCE = 16;

  /**
   * What the configuration says about a cluster's security.
   *
   * @param transportTls whether the gateway speaks TLS to the transport ports
   * @param restCertificate whether the gateway shows a certificate on the REST ports
   * @param plugins which plugins may filter requests
   */
  record ConfiguredFacts(boolean transportTls, boolean restCertificate, KnownPlugins plugins) {}

  /**
   * What is known of a node, for people.
   *
   * @param probe what its REST port answered
   * @param unknownPlugins plugins that may filter requests
   */
  public record NodeReport(String node, String name, String probe, List<String> unknownPlugins) {}

  private final ClusterAuthorization authorization;
  private final ConfiguredFacts facts;
  private final Function<InetSocketAddress, CompletableFuture<ProbeResult>> probe;
  private final LongSupplier nanoClock;
  private final SecurityPluginDetector securityIndex = new SecurityPluginDetector();
  private final Semaphore wakeUp = new Semaphore(0);
  private final LongAdder probes = new LongAdder();

  /** By the ephemeral ids of nodes. */
  private final Map<String, ProbeHistory> histories = new HashMap<>();

  private Map<String, NodeEndpoint> nodes = Map.of();
  private @Nullable Thread prober;
  private boolean closed;
  private long firstViewNanos;
  private volatile boolean isSettled;
  private volatile boolean hasUnknownPlugins = true;
  private volatile Set<InetSocketAddress> checkingAddresses = Set.of();

  SecurityDetector(
      ClusterAuthorization authorization,
      ConfiguredFacts facts,
      Function<InetSocketAddress, CompletableFuture<ProbeResult>> probe,
      LongSupplier nanoClock) {
    this.authorization = authorization;
    this.facts = facts;
    this.probe = probe;
    this.nanoClock = nanoClock;
  }

  /**
   * Creates a detector, which begins with its first view.
   *
   * @param tls returns the context of connections to REST ports; null when they speak plain HTTP
   */
  public static SecurityDetector create(
      ClusterAuthorization authorization,
      ClusterPolicy cluster,
      EventLoops loops,
      @Nullable Supplier<SslContext> tls) {
    boolean restCertificate =
        cluster.restTls().enabled() && !cluster.restTls().certificateFile().isEmpty();
    return new SecurityDetector(
        authorization,
        new ConfiguredFacts(
            cluster.transportTls().enabled(),
            restCertificate,
            new KnownPlugins(Set.copyOf(cluster.pluginsWithoutFilters()))),
        new RestAuthenticationProbe(loops.group(), loops.socketChannel(), tls)::probe,
        System::nanoTime);
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    securityIndex.onChange(before, now);
    synchronized (this) {
      nodes = now.nodes();
      Set<String> starts = new HashSet<>();
      nodes.values().forEach(node -> starts.add(node.ephemeralId()));
      histories.keySet().retainAll(starts);
      if (prober == null && !closed && !nodes.isEmpty()) {
        firstViewNanos = nanoClock.getAsLong();
        prober = Thread.ofVirtual().name("weir-security-probe").start(this::run);
      }
    }
    publish();
    wakeUp.release();
  }

  private void run() {
    try {
      while (true) {
        try {
          probeDueNodes();
        } catch (RuntimeException defect) {
          LOG.error("the probe of the nodes' REST ports failed", defect);
        }
        wakeUp.tryAcquire(ProbeHistory.RETRY_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        wakeUp.drainPermits();
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  /** Probes the nodes whose time it is, some at once. Blocks. */
  private void probeDueNodes() throws InterruptedException {
    List<NodeEndpoint> due = dueNodes();
    for (int from = 0; from < due.size(); from += MAX_PROBES_AT_ONCE) {
      probeAll(due.subList(from, Math.min(due.size(), from + MAX_PROBES_AT_ONCE)));
      publish();
    }
  }

  private void probeAll(List<NodeEndpoint> some) throws InterruptedException {
    Map<NodeEndpoint, CompletableFuture<ProbeResult>> running = new LinkedHashMap<>();
    for (NodeEndpoint node : some) {
      InetSocketAddress address = node.http();
      if (address != null) {
        running.put(node, probe.apply(address));
      }
    }
    for (Map.Entry<NodeEndpoint, CompletableFuture<ProbeResult>> one : running.entrySet()) {
      record(one.getKey(), await(one.getValue()));
    }
  }

  private static ProbeResult await(CompletableFuture<ProbeResult> result)
      throws InterruptedException {
    try {
      return result.get(MAX_PROBE_TIME.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException unanswered) {
      return new ProbeResult.Unreachable("no result");
    }
  }

  private synchronized List<NodeEndpoint> dueNodes() {
    long now = nanoClock.getAsLong();
    List<NodeEndpoint> due = new ArrayList<>();
    for (NodeEndpoint node : nodes.values()) {
      ProbeHistory history = histories.get(node.ephemeralId());
      if (node.http() != null && (history == null || history.isDue(now))) {
        due.add(node);
      }
    }
    return due;
  }

  private synchronized void record(NodeEndpoint node, ProbeResult result) {
    probes.increment();
    NodeEndpoint current = nodes.get(node.id());
    if (current != null && current.ephemeralId().equals(node.ephemeralId())) {
      histories
          .computeIfAbsent(node.ephemeralId(), _ -> new ProbeHistory())
          .add(result, nanoClock.getAsLong());
    }
  }

  /** Judges by what is known now, and puts the verdict in force. */
  private synchronized void publish() {
    List<NodeEvidence> evidence = new ArrayList<>();
    Set<InetSocketAddress> secured = new HashSet<>();
    boolean anyUnknown = nodes.isEmpty();
    boolean anyProbed = false;
    boolean allProbed = true;
    for (NodeEndpoint node : nodes.values()) {
      ProbeHistory history = histories.get(node.ephemeralId());
      ProbeResult result = history == null ? null : history.result();
      evidence.add(new NodeEvidence(node.name(), result, node.plugins()));
      InetSocketAddress address = node.http();
      if (result instanceof ProbeResult.Secured && address != null) {
        secured.add(address);
      }
      Set<String> plugins = node.plugins();
      anyUnknown |= plugins == null || facts.plugins().hasUnknownBesideSecurity(plugins);
      anyProbed |= result != null;
      allProbed &= address == null || result != null;
    }
    if (!checkingAddresses.equals(secured)) {
      checkingAddresses = Set.copyOf(secured);
    }
    hasUnknownPlugins = anyUnknown;
    boolean hasIndex = securityIndex.getAsBoolean();
    SecurityVerdict verdict =
        SecurityVerdict.of(
            new SecurityVerdict.ClusterEvidence(
                facts.transportTls(), facts.restCertificate(), hasIndex),
            evidence,
            facts.plugins());
    authorization.update(verdict.mode(), verdict.reason());
    String proof = SecurityVerdict.proofOfSecurity(hasIndex, evidence);
    if (proof != null) {
      authorization.onProof(proof);
    }
    isSettled |= anyProbed && allProbed;
  }

  /**
   * Returns whether plugins of the nodes may filter requests in ways that the gateway does not
   * know; also while a node has not yet said which plugins it has.
   */
  public boolean hasUnknownPlugins() {
    return hasUnknownPlugins;
  }

  /**
   * Returns the REST addresses that are known to ask for credentials; empty while none is. The same
   * set until it changes.
   */
  Set<InetSocketAddress> checkingAddresses() {
    return checkingAddresses;
  }

  /**
   * Returns whether the first answers of the nodes are still outstanding. The gateway is not ready
   * meanwhile, because it would pass through what it coordinates a moment later.
   */
  public boolean isSettling() {
    if (isSettled || authorization.state().isConfigured()) {
      return false;
    }
    synchronized (this) {
      return prober != null && nanoClock.getAsLong() - firstViewNanos < MAX_SETTLE_TIME.toNanos();
    }
  }

  /** The probes sent so far. */
  public long probeCount() {
    return probes.sum();
  }

  /** Returns what is known of each node. */
  public synchronized List<NodeReport> report() {
    return nodes.values().stream()
        .map(node -> {
          ProbeHistory history = histories.get(node.ephemeralId());
          Set<String> plugins = node.plugins();
          return new NodeReport(
              node.id(),
              node.name(),
              ProbeResult.describe(history == null ? null : history.result()),
              plugins == null ? List.of() : facts.plugins().unknown(plugins));
        })
        .collect(Collectors.toList());
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (prober != null) {
      prober.interrupt();
    }
  }
}
