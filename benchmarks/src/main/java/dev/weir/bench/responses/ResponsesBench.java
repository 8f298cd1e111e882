package dev.weir.bench.responses;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.Contender;
import dev.weir.bench.Haproxy;
import dev.weir.bench.Load;
import dev.weir.bench.Measure;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUse;
import dev.weir.bench.Table;
import dev.weir.bench.Verdicts;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodes;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what answers cost the gateway, beside a coordinating-only node; beside HAProxy, where it
 * is installed, which only hands on what a node has coordinated; and what the forms save that an
 * answer may have.
 */
@Command(
    name = "responses",
    description = "What answers cost by size and shape, and what columns and trimming save")
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
      description = "seconds before the rounds of a workload (default: ${DEFAULT-VALUE})")
  private double warmUp = 40;

  @Option(names = "--only", description = "only workloads whose name has this in it")
  private String only = "";

  @Option(
      names = "--export-rows",
      description = "rows of an export; 0 for none (default: ${DEFAULT-VALUE})")
  private int exportRows = 1_000_000;

  private static final double OF_SMALL = 0.35;
  private static final double OF_LARGE = 0.35;
  private static final double OF_AGGREGATION = 0.45;
  private static final double OF_COLUMNS = 0.6;
  private static final double OF_ARROW = 0.4;
  private static final double MOST_RESIDENT_MB = 256;

  private final PrintStream out = System.out;
  private final Verdicts verdicts = new Verdicts(System.out);

  /** For the command line. */
  public ResponsesBench() {}

  @Override
  public Integer call() throws IOException {
    try (DataNodes nodes = DataNodes.start(BenchCluster.spec(out));
        MeasuredGateway gateway = MeasuredGateway.start(nodes.seeds().subList(0, 3));
        @Nullable Haproxy relay = Haproxy.start(nodes.nodes().subList(0, 3))) {
      DataNode coordinator = nodes.node(3);
      List<Contender> contenders = new ArrayList<>();
      contenders.add(
          new Contender(
              "coordinating-only node",
              new InetSocketAddress("127.0.0.1", coordinator.httpPort()),
              coordinator.pid()));
      contenders.add(new Contender("weir", gateway.address(), gateway.pid()));
      if (relay != null) {
        contenders.add(new Contender("HAProxy, bytes alone", relay.address(), relay.pid()));
      }
      BenchIndexes.load(contenders.getFirst().address(), documents);
      ResponseIndexes.load(contenders.getFirst().address(), documents);
      out.println("loaded " + documents + " documents");
      List<Long> dataNodes = nodes.nodes().subList(0, 3).stream().map(DataNode::pid).toList();
      beside(contenders, dataNodes);
      forms(contenders.get(1), dataNodes);
      if ("data frames".contains(only)) {
        new DataFrames(out, verdicts).run(contenders.getFirst().address(), gateway.address());
      }
      if (exportRows > 0 && "export".contains(only)) {
        new ExportBeside(coordinator, gateway, dataNodes, exportRows).run(out, verdicts);
      }
    }
    verdicts.print();
    return 0;
  }

  /** The same answers from both. */
  private void beside(List<Contender> contenders, List<Long> dataNodes) {
    Map<Workload, Double> bounds = new LinkedHashMap<>();
    bounds.put(Workload.search(10), OF_SMALL);
    bounds.put(Workload.search(1000), OF_LARGE);
    bounds.put(Answers.hits("narrow, 1000 hits", ResponseIndexes.NARROW, 1000, ""), OF_LARGE);
    bounds.put(Answers.hits("narrow, 10000 hits", ResponseIndexes.NARROW, 10_000, ""), OF_LARGE);
    bounds.put(Answers.hits("wide, 1000 hits", ResponseIndexes.WIDE, 1000, ""), OF_LARGE);
    bounds.put(Answers.buckets(""), OF_AGGREGATION);
    Map<String, List<Measure>> results = new LinkedHashMap<>();
    bounds.forEach((workload, bound) -> {
      if (workload.name().contains(only)) {
        List<Measure> seen = contenders.stream().map(one -> new Measure()).toList();
        for (Contender contender : contenders) {
          out.println("warming up: " + workload.name() + ", " + contender.name());
          Load.run(contender.address(), workload, clients, warmUp);
        }
        for (int round = 0; round < rounds; round++) {
          for (int i = 0; i < contenders.size(); i++) {
            seen.get(i).round(contenders.get(i), workload, dataNodes, clients, seconds);
          }
        }
        results.put(workload.name(), seen);
        out.printf(
            "measured: %s; resident so far: %.0f MB at the most%n",
            workload.name(), peak(contenders.get(1)));
        verdicts.atMost(
            workload.name(),
            "CPU a request, of a coordinating-only node's",
            seen.get(1).ownCpu() / seen.get(0).ownCpu(),
            bound);
        verdicts.atMost(
            workload.name(),
            "resident MB at the most, up to here",
            peak(contenders.get(1)),
            MOST_RESIDENT_MB);
      }
    });
    Table.print(out, contenders, results);
  }

  private static double peak(Contender contender) {
    return ProcessUse.of(contender.pid()).peakResidentBytes() / 1048576.0;
  }

  /** The same hits from the gateway, in each form. */
  private void forms(Contender gateway, List<Long> dataNodes) {
    Map<String, List<Measure>> results = new LinkedHashMap<>();
    List<Contender> forms = new ArrayList<>();
    for (Answers.Form form : Answers.Form.values()) {
      forms.add(new Contender(form.label(), gateway.address(), gateway.pid()));
    }
    for (int size : new int[] {1000, 10_000}) {
      String name = "forms of " + size + " hits";
      if (!name.contains(only)) {
        continue;
      }
      List<Measure> seen = new ArrayList<>();
      for (Answers.Form form : Answers.Form.values()) {
        Workload workload =
            Answers.hits(form.label(), ResponseIndexes.NARROW, size, form.parameters());
        out.println("measuring: " + name + ", " + form.label());
        Load.run(gateway.address(), workload, clients, warmUp / 2);
        Measure measure = new Measure();
        measure.round(gateway, workload, dataNodes, clients, seconds);
        seen.add(measure);
      }
      results.put(name, seen);
      double plain = seen.getFirst().bodyKilobytes();
      verdicts.atMost(
          name,
          "bytes of JSON columns, of plain hits'",
          seen.get(Answers.Form.COLUMNS.ordinal()).bodyKilobytes() / plain,
          OF_COLUMNS);
      verdicts.atMost(
          name,
          "bytes of Arrow, of plain hits'",
          seen.get(Answers.Form.ARROW.ordinal()).bodyKilobytes() / plain,
          OF_ARROW);
      for (Answers.Form trimmed : List.of(Answers.Form.LEAN, Answers.Form.IDS)) {
        Measure one = seen.get(trimmed.ordinal());
        verdicts.atMost(
            name, trimmed.label() + ": bytes, of plain hits'", one.bodyKilobytes() / plain, 1);
        verdicts.atMost(
            name,
            trimmed.label() + ": CPU with nodes, of plain hits'",
            one.allCpu() / seen.getFirst().allCpu(),
            1);
      }
    }
    Table.print(out, forms, results);
  }
}
