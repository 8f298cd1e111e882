package dev.weir.bench.overload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.OpenLoopLoad;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class OverloadRunTest {
  private static final Map<String, Double> CAPACITIES =
      Map.of(
          OverloadEndpoint.WEIR, 100.0,
          OverloadEndpoint.COORDINATOR, 50.0,
          OverloadEndpoint.PLAIN, 200.0);

  /** Records the rates at which each endpoint gets load. */
  private static final class RecordingLoad implements OverloadRun.Load {
    private final Map<String, List<Double>> rates = new TreeMap<>();
    private final List<String> order = new ArrayList<>();

    @Override
    public double measureCapacity(OverloadEndpoint endpoint) {
      order.add(endpoint.name());
      return CAPACITIES.getOrDefault(endpoint.name(), 0.0);
    }

    @Override
    public OpenLoopLoad.Result send(OverloadEndpoint endpoint, double perSecond) {
      rates.computeIfAbsent(endpoint.name(), name -> new ArrayList<>()).add(perSecond);
      return new OpenLoopLoad.Result(
          1, 1, 0, 0, 0, 1_000_000_000, new Histogram(3), new Histogram(3));
    }
  }

  private static RecordingLoad run() {
    long pid = ProcessHandle.current().pid();
    List<OverloadEndpoint> endpoints =
        List.of(OverloadEndpoint.WEIR, OverloadEndpoint.COORDINATOR, OverloadEndpoint.PLAIN)
            .stream()
            .map(name ->
                new OverloadEndpoint(name, List.of(new InetSocketAddress("127.0.0.1", 9200)), pid))
            .toList();
    RecordingLoad load = new RecordingLoad();
    PrintStream out =
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    new OverloadRun(out, new CpuUsageSampler(List.of(), pid), load).run(endpoints);
    return load;
  }

  @Test
  void giveEachEndpointAsManyRoundsAtLevelsOfItsOwnCapacity() {
    RecordingLoad load = run();

    assertThat(load.rates).containsOnlyKeys(CAPACITIES.keySet());
    load.rates.forEach((name, rates) -> {
      double capacity = CAPACITIES.getOrDefault(name, 0.0);
      List<Double> turn = List.of(0.8 * capacity, 1.5 * capacity, 3.0 * capacity);
      List<Double> expected = new ArrayList<>(turn);
      expected.addAll(turn);
      expected.addAll(turn);
      assertThat(rates).as(name).isEqualTo(expected);
    });
  }

  @Test
  void reverseTheOrderInEveryOtherTurn() {
    List<String> order = run().order.stream().distinct().toList();
    List<String> all = run().order;

    assertThat(order)
        .containsExactly(
            OverloadEndpoint.WEIR, OverloadEndpoint.COORDINATOR, OverloadEndpoint.PLAIN);
    // the last of the first turn is the first of the second
    assertThat(all.subList(8, 16)).containsOnly(OverloadEndpoint.PLAIN);
  }
}
