package dev.weir.testkit;

import dev.weir.testkit.process.JvmCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the nodes of one cluster have in common when they are started.
 *
 * @param clusterName the cluster's name
 * @param seeds the transport addresses at which nodes look for each other
 * @param bootstrapNode the one node that forms the cluster at its first start
 * @param repository the folder below which snapshot repositories may be
 * @param image what their JVMs start from
 * @param access how clients speak to their REST ports
 */
record NodeLaunchConfig(
    String clusterName,
    List<String> seeds,
    String bootstrapNode,
    Path repository,
    StartImage image,
    RestAccess access) {
  /** Options of a stock distribution that matter for how a node behaves and performs. */
  static final List<String> STOCK_OPTIONS =
      List.of(
          "-Xss1m",
          "--enable-native-access=ALL-UNNAMED",
          "-Djava.awt.headless=true",
          "-Dfile.encoding=UTF-8",
          "-Djna.nosys=true",
          "-XX:-OmitStackTraceInFastThrow",
          "-Dio.netty.noUnsafe=true",
          "-Dio.netty.noKeySetOptimization=true",
          "-Dio.netty.recycler.maxCapacityPerThread=0",
          "-Dlog4j.shutdownHookEnabled=false",
          "-Dlog4j2.disable.jmx=true",
          "-Djava.locale.providers=CLDR",
          "-XX:+ExitOnOutOfMemoryError",
          "-Xlog:disable",
          "-Xlog:all=warning,aot*=off:stderr");

  private static final String MAIN_CLASS = "dev.weir.testkit.node.DataNodeMain";

  /** Returns the command that starts one of the nodes. */
  JvmCommand command(NodeSpec spec, Path home, PortPlan.Assigned ports) {
    List<String> options = new ArrayList<>();
    int heapMegabytes = HeapSize.megabytes(spec.heap());
    options.add("-Xms" + heapMegabytes + "m");
    options.add("-Xmx" + heapMegabytes + "m");
    options.add("-XX:MaxDirectMemorySize=" + heapMegabytes / 2 + "m");
    options.addAll(STOCK_OPTIONS);
    options.add("-Djava.io.tmpdir=" + home.resolve("tmp"));
    options.addAll(image.jvmOptions());
    options.addAll(spec.jvmOptions());

    List<String> arguments = new ArrayList<>();
    arguments.add(home.toString());
    settings(spec, ports).forEach((key, value) -> arguments.add(key + "=" + value));
    spec.plugins().forEach(plugin -> arguments.add(plugin.argument()));
    List<Path> pluginPath =
        spec.plugins().stream().flatMap(plugin -> plugin.classPath().stream()).toList();
    return JvmCommand.of(image.classPath().plus(pluginPath), options, MAIN_CLASS, arguments);
  }

  private Map<String, String> settings(NodeSpec spec, PortPlan.Assigned ports) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("cluster.name", clusterName);
    settings.put("node.name", spec.name());
    settings.put("network.host", "127.0.0.1");
    settings.put("http.port", Integer.toString(ports.http()));
    settings.put("transport.port", Integer.toString(ports.transport()));
    settings.put("discovery.seed_hosts", String.join(",", seeds));
    if (spec.name().equals(bootstrapNode)) {
      settings.put("cluster.initial_cluster_manager_nodes", bootstrapNode);
    }
    // nodes that start together must not lose a second until they find each other
    settings.put("discovery.find_peers_interval", "200ms");
    settings.put("path.repo", repository.toString());
    // small disks of build machines, and tests with many scripts, must not fail
    settings.put("cluster.routing.allocation.disk.threshold_enabled", "false");
    settings.put("script.max_compilations_rate", "100000/1m");
    if (spec.roles() != null) {
      settings.put("node.roles", String.join(",", spec.roles()));
    }
    settings.putAll(spec.settings());
    return settings;
  }
}
