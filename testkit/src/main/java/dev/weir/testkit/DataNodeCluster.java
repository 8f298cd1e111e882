package dev.weir.testkit;

import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.ScratchFolder;
import dev.weir.testkit.process.ShutdownActions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A running cluster of real OpenSearch nodes, each in a JVM of its own.
 *
 * <p>No node outlives this JVM, even if it is killed. {@link #close} ends the nodes; a cluster in a
 * temporary folder is deleted with it, one in a given folder is stopped in order and keeps its
 * data.
 *
 * <pre>{@code
 * try (DataNodeCluster nodes = DataNodeCluster.start(ClusterSpec.ofNodes(3))) {
 *   nodes.rest().send("PUT", "/index", "{}").orThrow();
 *   nodes.node(1).kill();
 * }
 * }</pre>
 */
public final class DataNodeCluster implements AutoCloseable {
  private static final Duration GREEN_TIMEOUT = Duration.ofMinutes(4);
  private static final long RETRY_NANOS = 50_000_000;
  private static final String SCRATCH_PREFIX = "weir-nodes-";

  private final ClusterSpec spec;
  private final StartImage image;
  private final RestAccess access;
  private final @Nullable ScratchFolder scratch;
  private final Path folder;
  private final RandomGenerator random = new Random();
  private final List<DataNode> nodes = new CopyOnWriteArrayList<>();
  private final Runnable atExit = this::close;
  private final Object closing = new Object();
  private @Nullable RestClient rest;
  private boolean closed;

  private DataNodeCluster(ClusterSpec spec, StartImage image, RestAccess access) {
    this.spec = spec;
    this.image = image;
    this.access = access;
    this.scratch = spec.folder() == null ? ScratchFolder.create(SCRATCH_PREFIX) : null;
    this.folder = scratch == null ? Objects.requireNonNull(spec.folder()) : scratch.path();
  }

  /** Starts a cluster and waits until it is green. */
  public static DataNodeCluster start(ClusterSpec spec) {
    ClassPath classPath = ClassPath.ofDataNode();
    StartImage image =
        spec.usesAotCache()
            ? StartImageBuilder.prepare(classPath, spec.progress())
            : StartImage.plain(classPath);
    return start(spec, image, RestAccess.PLAIN);
  }

  /**
   * Starts a cluster of nodes with other jars, such as those of an older version, and waits until
   * it is green. Their JVMs start from nothing.
   *
   * @param classPath what the nodes run
   * @param access how clients, and this class itself, speak to their REST ports
   */
  public static DataNodeCluster start(ClusterSpec spec, ClassPath classPath, RestAccess access) {
    return start(spec, StartImageBuilder.unprepared(classPath), access);
  }

  static DataNodeCluster start(ClusterSpec spec, StartImage image, RestAccess access) {
    DataNodeCluster cluster = new DataNodeCluster(spec, image, access);
    ShutdownActions.register(cluster.atExit);
    try {
      cluster.startAll();
      return cluster;
    } catch (RuntimeException failure) {
      cluster.close();
      throw failure;
    }
  }

  private void startAll() {
    long begin = System.nanoTime();
    requireDataOfTheseNodes();
    List<PortPlan.Assigned> ports = new ArrayList<>();
    for (int i = 0; i < spec.nodes().size(); i++) {
      ports.add(spec.ports().assign(i, spec.nodes().get(i).name(), random));
    }
    NodeLaunchConfig launch = launch(ports);
    for (int i = 0; i < spec.nodes().size(); i++) {
      NodeSpec node = spec.nodes().get(i);
      nodes.add(new DataNode(node, folder.resolve(node.name()), ports.get(i), launch));
    }
    Consumer<String> progress = spec.progress();
    progress.accept(
        "starting " + nodes.size() + " data nodes of " + spec.nodes().getFirst().heap());
    nodes.forEach(DataNode::launch);
    for (DataNode node : nodes) {
      node.awaitStarted();
      progress.accept("started " + node + " after " + secondsSince(begin) + " s");
    }
    awaitGreen();
    progress.accept("cluster " + spec.name() + " is green after " + secondsSince(begin) + " s");
  }

  /** A cluster whose majority is missing would never answer. */
  private void requireDataOfTheseNodes() {
    if (!Files.isDirectory(folder)) {
      return;
    }
    List<String> names = spec.nodes().stream().map(NodeSpec::name).toList();
    try (Stream<Path> children = Files.list(folder)) {
      List<String> others =
          children
              .filter(child -> Files.isDirectory(child.resolve("data")))
              .map(child -> child.getFileName().toString())
              .filter(name -> !names.contains(name))
              .sorted()
              .toList();
      if (!others.isEmpty()) {
        throw new IllegalArgumentException(
            "got the data of "
                + others
                + " too in "
                + folder
                + " (expected: of "
                + names
                + " only): start as many nodes as before, or choose another folder");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + folder, e);
    }
  }

  private NodeLaunchConfig launch(List<PortPlan.Assigned> ports) {
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port.transport()).toList();
    String bootstrapNode =
        spec.nodes().stream()
            .filter(NodeSpec::isClusterManagerEligible)
            .findFirst()
            .orElseThrow()
            .name();
    Path repository = folder.resolve("snapshots");
    return new NodeLaunchConfig(spec.name(), seeds, bootstrapNode, repository, image, access);
  }

  private static long secondsSince(long begin) {
    return Math.round((System.nanoTime() - begin) / 1e9);
  }

  /** Adds a node on free ports and waits until it has joined and the cluster is green. */
  public synchronized DataNode addNode(NodeSpec node) {
    PortPlan.Assigned ports = PortPlan.ANY_FREE.assign(0, node.name(), random);
    List<String> seeds = nodes.stream().map(DataNode::transportAddress).toList();
    NodeLaunchConfig launch =
        new NodeLaunchConfig(spec.name(), seeds, "", folder.resolve("snapshots"), image, access);
    DataNode added = new DataNode(node, folder.resolve(node.name()), ports, launch);
    nodes.add(added);
    added.start();
    awaitGreen();
    return added;
  }

  /** Stops a node in order and forgets it; its data goes when the cluster does. */
  public synchronized void removeNode(DataNode node) {
    node.stop();
    nodes.remove(node);
  }

  /** The cluster's name. */
  public String clusterName() {
    return spec.name();
  }

  /** The nodes, in the order of the specification; added ones follow. */
  public List<DataNode> nodes() {
    return List.copyOf(nodes);
  }

  /** One node, counted from 0. */
  public DataNode node(int index) {
    return nodes.get(index);
  }

  /** The transport endpoints of all nodes, as a gateway's configuration takes them. */
  public List<String> seeds() {
    return nodes.stream().map(DataNode::transportAddress).toList();
  }

  /** The folder below which snapshot repositories of type {@code fs} may be. */
  public Path repositories() {
    return folder.resolve("snapshots");
  }

  /** A client of the first node, closed with the cluster. */
  public synchronized RestClient rest() {
    RestClient client = rest == null ? new RestClient(nodes.getFirst().httpUri(), access) : rest;
    rest = client;
    return client;
  }

  /**
   * Undoes what a test did to the nodes: resumes those that are frozen or slowed, starts those that
   * do not run, and waits until all have joined and all shards are assigned. Returns at once when
   * no node was disturbed since the last call.
   *
   * <p>A node that was frozen for long may have been dropped from the cluster. Without this wait
   * the next test would find its shards missing.
   */
  public synchronized void restore() {
    boolean disturbed = false;
    for (DataNode node : nodes) {
      disturbed |= node.restore();
    }
    if (disturbed) {
      awaitHealth("green", nodes.size(), true);
    }
  }

  /** Waits until all nodes that run have joined and all shards are assigned. */
  public void awaitGreen() {
    awaitHealth("green", (int) nodes.stream().filter(DataNode::isAlive).count(), false);
  }

  /** Waits until exactly so many nodes are in the cluster and all primaries are assigned. */
  public void awaitNodes(int count) {
    awaitHealth("yellow", count, false);
  }

  /**
   * Waits for a health.
   *
   * @param retryFailed whether to have the cluster allocate shards again whose allocation failed; a
   *     node that was closing a shard when it came back fails to open it
   */
  private void awaitHealth(String status, int count, boolean retryFailed) {
    DataNode asked =
        nodes.stream()
            .filter(DataNode::isAlive)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no node runs (expected: at least one)"));
    String path =
        "/_cluster/health?timeout=2s&wait_for_no_initializing_shards=true&wait_for_status="
            + status
            + "&wait_for_nodes="
            + count;
    long deadline = System.nanoTime() + GREEN_TIMEOUT.toNanos();
    String last = "no answer";
    try (RestClient client = new RestClient(asked.httpUri(), access)) {
      while (System.nanoTime() < deadline) {
        try {
          if (retryFailed) {
            client.send("POST", "/_cluster/reroute?retry_failed=true&metric=none");
          }
          RestReply reply = client.send("GET", path);
          if (reply.status() == 200) {
            return;
          }
          last = reply.body();
        } catch (UncheckedIOException notYet) {
          last = String.valueOf(notYet.getCause());
        }
        // a node that has not read its users yet rejects a request at once
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
    throw new IllegalStateException(
        "got "
            + last
            + " from "
            + asked
            + " after "
            + GREEN_TIMEOUT.toSeconds()
            + " s (expected: status "
            + status
            + " with "
            + count
            + " nodes); its log is "
            + asked.log());
  }

  /**
   * Stops all nodes and deletes their data if it is in a temporary folder. A concurrent call
   * returns when the first one has finished.
   */
  @Override
  public void close() {
    synchronized (closing) {
      if (!closed) {
        closed = true;
        closeAll();
        ShutdownActions.unregister(atExit);
      }
    }
  }

  private void closeAll() {
    synchronized (this) {
      if (rest != null) {
        rest.close();
      }
    }
    Consumer<DataNode> end = scratch == null ? DataNode::stop : DataNode::kill;
    List<Thread> threads =
        nodes.stream().map(node -> Thread.ofVirtual().start(() -> end.accept(node))).toList();
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (scratch != null) {
      scratch.close();
    }
  }
}
