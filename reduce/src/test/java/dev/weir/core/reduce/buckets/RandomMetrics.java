package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.buckets.RandomAggregations.Node;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.DoubleHistogram;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.HyperLogLogPlusPlus;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalExtendedStats;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentiles;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalSum;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.InternalTopHits;
import org.opensearch.search.aggregations.metrics.TDigestState;

/** Random metrics. */
final class RandomMetrics {
  static final int ALL = 11;
  static final int WITHOUT_HITS = ALL - 1;

  /**
   * Without hits, whose reader allocates what the bytes say, and deviations, which add each
   * document.
   */
  static final int BOUNDED = ALL - 2;

  static final int NUMBERS = 4;

  private static final double[] PERCENTS = {1, 5, 50, 95, 99.9};
  private static final double[] BOUNDS = {400, 500};

  private final Random random;
  private final int kinds;

  /**
   * Creates a source of metrics.
   *
   * @param kinds {@link #ALL} or fewer
   */
  RandomMetrics(Random random, int kinds) {
    this.random = random;
    this.kinds = kinds;
  }

  private double value() {
    return random.nextInt(20) == 0
        ? List.of(Double.POSITIVE_INFINITY, -0.0, Double.MIN_VALUE, 1e300).get(random.nextInt(4))
        : random.nextDouble() * Math.pow(10, random.nextInt(12) - 3);
  }

  private double finite() {
    return random.nextGaussian() * 100 + 500;
  }

  Node metric(String name, @Nullable Map<String, Object> meta) {
    DocValueFormat format =
        random.nextBoolean() ? DocValueFormat.RAW : new DocValueFormat.Decimal("0.00");
    boolean keyed = random.nextBoolean();
    return switch (random.nextInt(kinds)) {
      case 0 ->
          new Node(
              AggregationBuilders.avg(name),
              name,
              empty ->
                  new InternalAvg(name, value(), empty ? 0 : 1 + random.nextInt(3), format, meta));
      case 1 ->
          new Node(
              AggregationBuilders.sum(name),
              name,
              empty -> new InternalSum(name, empty ? 0 : value(), format, meta));
      case 2 ->
          new Node(
              AggregationBuilders.stats(name),
              name + ".max",
              empty ->
                  new InternalStats(
                      name, empty ? 0 : random.nextInt(3), value(), 1, value() + 2, format, meta));
      case 3 ->
          new Node(
              AggregationBuilders.extendedStats(name),
              name + ".variance",
              empty ->
                  new InternalExtendedStats(
                      name,
                      empty ? 0 : 4,
                      finite(),
                      1,
                      finite(),
                      finite() * finite(),
                      2.5,
                      format,
                      meta));
      case 4 ->
          new Node(AggregationBuilders.cardinality(name), name, empty -> cardinality(name, empty));
      case 5 ->
          new Node(
              AggregationBuilders.percentiles(name),
              name + "[50.0]",
              empty ->
                  new InternalTDigestPercentiles(
                      name, PERCENTS, digest(empty), keyed, format, meta));
      case 6 ->
          new Node(
              AggregationBuilders.percentileRanks(name, BOUNDS),
              name + "[500.0]",
              empty ->
                  new InternalTDigestPercentileRanks(
                      name, BOUNDS, digest(empty), keyed, format, meta));
      case 7 ->
          new Node(
              AggregationBuilders.percentiles(name),
              name + "[33.3]",
              empty ->
                  new InternalHDRPercentiles(
                      name, PERCENTS, histogram(empty), keyed, format, meta));
      case 8 ->
          new Node(
              AggregationBuilders.percentileRanks(name, BOUNDS),
              name + "[400.0]",
              empty ->
                  new InternalHDRPercentileRanks(
                      name, BOUNDS, histogram(empty), keyed, format, meta));
      case 9 ->
          new Node(
              AggregationBuilders.medianAbsoluteDeviation(name),
              name,
              empty ->
                  ShardAggregations.read(
                      "median_absolute_deviation",
                      out -> {
                        out.writeString(name);
                        out.writeMap(meta);
                        out.writeNamedWriteable(format);
                        TDigestState.write(digest(empty), out);
                        out.writeDouble(0);
                      }));
      default -> new Node(AggregationBuilders.topHits(name), null, empty -> topHits(name, empty));
    };
  }

  private DoubleHistogram histogram(boolean empty) {
    DoubleHistogram histogram = new DoubleHistogram(2);
    histogram.setAutoResize(true);
    for (int i = empty ? 0 : random.nextInt(30); i > 0; i--) {
      histogram.recordValue(Math.abs(finite()));
    }
    return histogram;
  }

  private TDigestState digest(boolean empty) {
    TDigestState state = new TDigestState(20 + random.nextInt(3) * 40);
    for (int i = empty ? 0 : random.nextInt(10) == 0 ? 800 : random.nextInt(20); i > 0; i--) {
      state.add(finite());
    }
    return state;
  }

  private InternalAggregation cardinality(String name, boolean empty) throws IOException {
    HyperLogLogPlusPlus counts = new HyperLogLogPlusPlus(8, BigArrays.NON_RECYCLING_INSTANCE, 1);
    for (int i = empty ? 0 : random.nextInt(random.nextInt(10) == 0 ? 400 : 9); i > 0; i--) {
      counts.collect(0, random.nextLong());
    }
    return ShardAggregations.read(
        "cardinality",
        out -> {
          out.writeString(name);
          out.writeMap(null);
          out.writeNamedWriteable(DocValueFormat.RAW);
          out.writeBoolean(!empty);
          if (!empty) {
            counts.writeTo(0, out);
          }
        });
  }

  private InternalAggregation topHits(String name, boolean empty) {
    int count = empty ? 0 : random.nextInt(3);
    SearchHit[] hits = new SearchHit[count];
    ScoreDoc[] docs = new ScoreDoc[count];
    float score = 5 + random.nextFloat();
    for (int i = 0; i < count; i++) {
      hits[i] = new SearchHit(random.nextInt(100), "id" + random.nextInt(100), Map.of(), Map.of());
      hits[i].sourceRef(new BytesArray("{\"text\": \"\u00e9 \\\"\",\"n\":1.50}"));
      hits[i].score(score);
      docs[i] = new ScoreDoc(hits[i].docId(), score);
      score -= random.nextFloat();
    }
    TotalHits total = new TotalHits(count, TotalHits.Relation.EQUAL_TO);
    float best = count == 0 ? Float.NaN : docs[0].score;
    return new InternalTopHits(
        name,
        0,
        2,
        new TopDocsAndMaxScore(new TopDocs(total, docs), best),
        new SearchHits(hits, total, best),
        null);
  }
}
