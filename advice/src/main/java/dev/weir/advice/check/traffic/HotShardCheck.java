package dev.weir.advice.check.traffic;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.ShardFacts;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Shards that get many more queries a minute than the others of their index, because of routing
 * values. A copy counts its queries from when it was opened: a restart and a move begin at zero.
 */
public final class HotShardCheck implements Check {
  /** How many times the rate of its siblings makes a shard hot: chance does not reach it. */
  static final double MIN_RATIO = 3;

  /** Fewer queries since its copies were opened say little. */
  static final long MIN_QUERIES = 500;

  /** A rate over less time says little, and the clocks of machines differ. */
  static final long MIN_OPEN_MILLIS = 10_000;

  /**
   * How many times as old as the youngest copy of an index the oldest may be. A copy that was
   * opened at night has a lower rate than one of a month, although both get the same queries.
   */
  static final double MAX_AGE_RATIO = 1.5;

  private static final double MILLIS_PER_MINUTE = 60_000;
  private static final MathContext THREE_DIGITS = new MathContext(3);

  /** What copies of a shard got. */
  private record Load(long queries, double perMinute) {
    static Load of(ShardFacts copy) {
      return new Load(copy.queries(), copy.queries() * MILLIS_PER_MINUTE / copy.openMillis());
    }

    Load plus(Load other) {
      return new Load(queries + other.queries, perMinute + other.perMinute);
    }
  }

  @Override
  public String name() {
    return "hot-shard";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.INDICES, ApiSource.SHARDS, ApiSource.RECOVERIES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    int wanted = HotCopies.wanted(snapshot.dataNodes().size());
    List<Finding> findings = new ArrayList<>();
    for (IndexFacts index : snapshot.openIndices()) {
      List<ShardFacts> copies = snapshot.shardsOfIndex(index.name());
      if (index.size().replicas() + 1 < wanted && haveComparableRates(copies)) {
        findings.addAll(hotShards(index, copies, wanted));
      }
    }
    return findings;
  }

  /** An unknown age, such as that of a copy without a node, is below the least. */
  private static boolean haveComparableRates(List<ShardFacts> copies) {
    LongSummaryStatistics ages =
        copies.stream().mapToLong(ShardFacts::openMillis).summaryStatistics();
    return ages.getMin() >= MIN_OPEN_MILLIS && ages.getMax() <= MAX_AGE_RATIO * ages.getMin();
  }

  private List<Finding> hotShards(IndexFacts index, List<ShardFacts> copies, int wanted) {
    Map<Integer, Load> loads = new TreeMap<>();
    for (ShardFacts copy : copies) {
      loads.merge(copy.shard(), Load.of(copy), Load::plus);
    }
    double total = loads.values().stream().mapToDouble(Load::perMinute).sum();
    List<Finding> findings = new ArrayList<>();
    loads.forEach((shard, load) -> {
      double rate = load.perMinute();
      double siblings = Math.max(0, total - rate) / Math.max(1, loads.size() - 1);
      if (loads.size() > 1 && load.queries() >= MIN_QUERIES && rate > MIN_RATIO * siblings) {
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                index.name() + "[" + shard + "]",
                format(rate)
                    + " queries a minute, beside "
                    + format(siblings)
                    + " of each other shard of the index (expected: three times as many at most)",
                "Requests with a routing value go to one shard. Its nodes carry them alone.",
                HotCopies.mend(index, wanted - 1)));
      }
    });
    return findings;
  }

  /** Formats a rate with three digits: a quiet index has less than one query a minute. */
  private static String format(double rate) {
    return BigDecimal.valueOf(rate).round(THREE_DIGITS).stripTrailingZeros().toPlainString();
  }
}
