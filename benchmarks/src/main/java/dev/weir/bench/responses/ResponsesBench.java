package dev.weir.bench.responses;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.HaproxyProcess;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.ResultTable;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the gateway's cost of responses in comparison with a coordinating-only node, and, if it
 * is installed, with HAProxy, which only forwards what a node has coordinated. Also measures what
 * the other response formats save.
 */
@Command(
    name = "responses",
    description = "CPU and bytes of responses by size and format; exports; data frames")
public final class ResponsesBench implements Callable<Integer> {
  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds of each workload (default: ${DEFAULT-VALUE})")
  private int rounds = 2;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 32;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 30_000;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load before the rounds of a workload, for each path, until its CPU"
              + " time a request has stopped falling (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(names = "--only", description = "only workloads whose name contains this")
  private String only = "";

  @Option(
      names = "--export-rows",
      description = "rows of an export; 0 for none (default: ${DEFAULT-VALUE})")
  private int exportRows = 1_000_000;

  @Option(
      names = "--frame-rounds",
      description = "data frames that are read in each way (default: ${DEFAULT-VALUE})")
  private int frameRounds = 40;

  private static final double OF_SMALL = 0.35;
  private static final double OF_LARGE = 0.35;
  private static final double OF_AGGREGATION = 0.45;
  private static final double OF_COLUMNS = 0.6;
  private static final double OF_ARROW = 0.4;
  private static final double MAX_RESIDENT_MB = 256;

  private final PrintStream out = System.out;
  private final ResultChecks verdicts = new ResultChecks(System.out);

  private final BenchClusters clusters;

  public ResponsesBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3));
        @Nullable HaproxyProcess relay =
            HaproxyProcess.start(lease.cluster().nodes().subList(0, 3))) {
      DataNodeCluster nodes = lease.cluster();
      DataNode coordinator = nodes.node(3);
      List<MeasuredEndpoint> endpoints = new ArrayList<>();
      endpoints.add(
          new MeasuredEndpoint(
              "coordinating-only node",
              new InetSocketAddress("127.0.0.1", coordinator.httpPort()),
              coordinator.pid()));
      endpoints.add(new MeasuredEndpoint("weir", gateway.address(), gateway.pid()));
      if (relay == null) {
        out.println("not measured: HAProxy; it is not installed");
      } else {
        endpoints.add(new MeasuredEndpoint("HAProxy, bytes alone", relay.address(), relay.pid()));
      }
      BenchIndexes.load(endpoints.getFirst().address(), documents);
      ResponseIndexes.load(endpoints.getFirst().address(), documents);
      out.println("loaded " + documents + " documents");
      List<Long> dataNodes = nodes.nodes().subList(0, 3).stream().map(DataNode::pid).toList();
      beside(endpoints, dataNodes);
      forms(endpoints.get(1), dataNodes);
      if ("data frames".contains(only)) {
        new DataFrameComparison(out, verdicts, frameRounds)
            .run(endpoints.getFirst().address(), gateway.address());
      }
      if (exportRows > 0 && "export".contains(only)) {
        new ExportComparison(
                coordinator, gateway, dataNodes, exportRows, new WarmUp(out, seconds, warmUp))
            .run(out, verdicts);
      }
    }
    verdicts.print();
    return verdicts.exitCode();
  }

  /** Measures the same responses of all endpoints. */
  private void beside(List<MeasuredEndpoint> endpoints, List<Long> dataNodes) throws IOException {
    Map<Workload, Double> bounds = new LinkedHashMap<>();
    bounds.put(Workload.search(10), OF_SMALL);
    bounds.put(Workload.search(1000), OF_LARGE);
    bounds.put(
        ResponseWorkloads.hits("narrow, 1000 hits", ResponseIndexes.NARROW, 1000, ""), OF_LARGE);
    bounds.put(
        ResponseWorkloads.hits("narrow, 10000 hits", ResponseIndexes.NARROW, 10_000, ""), OF_LARGE);
    bounds.put(ResponseWorkloads.hits("wide, 1000 hits", ResponseIndexes.WIDE, 1000, ""), OF_LARGE);
    bounds.put(ResponseWorkloads.buckets(""), OF_AGGREGATION);
    Map<String, List<EndpointMeasurement>> results = new LinkedHashMap<>();
    for (Map.Entry<Workload, Double> entry : bounds.entrySet()) {
      Workload workload = entry.getKey();
      if (workload.name().contains(only)) {
        List<EndpointMeasurement> seen =
            endpoints.stream().map(one -> new EndpointMeasurement()).toList();
        new WarmUp(out, seconds, warmUp)
            .run(
                workload.name(),
                endpoints.stream().map(MeasuredEndpoint::name).toList(),
                (i, length) ->
                    EndpointMeasurement.warmUpRound(
                        endpoints.get(i), workload, dataNodes, clients, length));
        for (int round = 0; round < rounds; round++) {
          for (int i = 0; i < endpoints.size(); i++) {
            seen.get(i).runRound(endpoints.get(i), workload, dataNodes, clients, seconds);
          }
        }
        results.put(workload.name(), seen);
        out.printf(
            "measured: %s; resident so far: %.0f MB at the most%n",
            workload.name(), peak(endpoints.get(1)));
        for (int i = 0; i < endpoints.size(); i++) {
          verdicts.checkSuccesses(workload.name(), endpoints.get(i).name(), seen.get(i).errors());
        }
        verdicts.checkAtMost(
            workload.name(),
            "CPU a request, of a coordinating-only node's",
            seen.get(1).gatewayCpu() / seen.get(0).gatewayCpu(),
            entry.getValue());
        verdicts.checkAtMost(
            workload.name(),
            "resident MB at the most, up to here",
            peak(endpoints.get(1)),
            MAX_RESIDENT_MB);
      }
    }
    ResultTable.print(out, endpoints, results);
  }

  private static double peak(MeasuredEndpoint contender) {
    return ProcessUsage.read(contender.pid()).peakResidentBytes() / 1048576.0;
  }

  /** Measures the same hits of the gateway in each format. */
  private void forms(MeasuredEndpoint gateway, List<Long> dataNodes) throws IOException {
    Map<String, List<EndpointMeasurement>> results = new LinkedHashMap<>();
    List<MeasuredEndpoint> forms = new ArrayList<>();
    for (ResponseWorkloads.Format form : ResponseWorkloads.Format.values()) {
      forms.add(new MeasuredEndpoint(form.label(), gateway.address(), gateway.pid()));
    }
    for (int size : new int[] {1000, 10_000}) {
      String name = "forms of " + size + " hits";
      if (!name.contains(only)) {
        continue;
      }
      List<Workload> workloads =
          Stream.of(ResponseWorkloads.Format.values())
              .map(form ->
                  ResponseWorkloads.hits(
                      form.label(), ResponseIndexes.NARROW, size, form.parameters()))
              .toList();
      new WarmUp(out, seconds, warmUp)
          .run(
              name,
              workloads.stream().map(Workload::name).toList(),
              (i, length) ->
                  EndpointMeasurement.warmUpRound(
                      gateway, workloads.get(i), dataNodes, clients, length));
      List<EndpointMeasurement> seen = new ArrayList<>();
      for (Workload workload : workloads) {
        out.println("measuring: " + name + ", " + workload.name());
        EndpointMeasurement measure = new EndpointMeasurement();
        measure.runRound(gateway, workload, dataNodes, clients, seconds);
        seen.add(measure);
        verdicts.checkSuccesses(name, workload.name(), measure.errors());
      }
      results.put(name, seen);
      double plain = seen.getFirst().bodyKilobytesPerRequest();
      verdicts.checkAtMost(
          name,
          "bytes of JSON columns, of plain hits'",
          seen.get(ResponseWorkloads.Format.COLUMNS.ordinal()).bodyKilobytesPerRequest() / plain,
          OF_COLUMNS);
      verdicts.checkAtMost(
          name,
          "bytes of Arrow, of plain hits'",
          seen.get(ResponseWorkloads.Format.ARROW.ordinal()).bodyKilobytesPerRequest() / plain,
          OF_ARROW);
      for (ResponseWorkloads.Format trimmed :
          List.of(ResponseWorkloads.Format.TRIMMED, ResponseWorkloads.Format.IDS)) {
        EndpointMeasurement one = seen.get(trimmed.ordinal());
        verdicts.checkAtMost(
            name,
            trimmed.label() + ": bytes, of plain hits'",
            one.bodyKilobytesPerRequest() / plain,
            1);
        verdicts.checkAtMost(
            name,
            trimmed.label() + ": CPU with nodes, of plain hits'",
            one.totalCpu() / seen.getFirst().totalCpu(),
            1);
      }
    }
    ResultTable.print(out, forms, results);
  }
}
